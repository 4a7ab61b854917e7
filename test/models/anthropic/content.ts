import type { Shape } from '../shape.ts'

const CACHE: Shape = {
  tag: 'type',
  of: { ephemeral: { fields: { 'type!': 'string', ttl: ['5m', '1h'] } } },
}
const MEDIA: Shape = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export const TEXT: Shape = { fields: { 'type!': 'string', 'text!': 'string', cache_control: CACHE, citations: 'any' } }

const URL_SOURCE: Shape = { fields: { 'type!': 'string', 'url!': 'string' } }
const FILE_SOURCE: Shape = { fields: { 'type!': 'string', 'file_id!': 'string' } }
const IMAGE: Shape = {
  fields: {
    'type!': 'string',
    'source!': {
      tag: 'type',
      of: {
        base64: { fields: { 'type!': 'string', 'media_type!': MEDIA, 'data!': 'string' } },
        url: URL_SOURCE,
        file: FILE_SOURCE,
      },
    },
    cache_control: CACHE,
  },
}
const DOCUMENT: Shape = {
  fields: {
    'type!': 'string',
    'source!': {
      tag: 'type',
      of: {
        base64: { fields: { 'type!': 'string', 'media_type!': ['application/pdf'], 'data!': 'string' } },
        text: { fields: { 'type!': 'string', 'media_type!': ['text/plain'], 'data!': 'string' } },
        content: { fields: { 'type!': 'string', 'content!': 'any' } },
        url: URL_SOURCE,
        file: FILE_SOURCE,
      },
    },
    title: 'string',
    context: 'string',
    citations: 'object',
    cache_control: CACHE,
  },
}

const BLOCKS: Shape = {
  tag: 'type',
  of: {
    text: TEXT,
    image: IMAGE,
    document: DOCUMENT,
    thinking: { fields: { 'type!': 'string', 'thinking!': 'string', 'signature!': 'string' } },
    redacted_thinking: { fields: { 'type!': 'string', 'data!': 'string' } },
    tool_use: {
      fields: {
        'type!': 'string',
        'id!': 'string',
        'name!': 'string',
        'input!': 'object',
        cache_control: CACHE,
        caller: 'object',
      },
    },
    tool_result: {
      fields: {
        'type!': 'string',
        'tool_use_id!': 'string',
        content: {
          either: ['string', { list: { tag: 'type', of: { text: TEXT, image: IMAGE, document: DOCUMENT } } }],
        },
        is_error: 'boolean',
        cache_control: CACHE,
      },
    },
  },
}

export const SYSTEM: Shape = { either: ['string', { list: { tag: 'type', of: { text: TEXT } } }] }

export const MESSAGES: Shape = {
  list: { fields: { 'role!': 'string', 'content!': { either: ['string', { list: BLOCKS }] } } },
}

export { CACHE }
