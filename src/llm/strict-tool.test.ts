import { describe, expect, test } from 'vitest'
import { strictTool } from './strict-tool.ts'

const tool = (inputSchema: object) => ({ type: 'function' as const, name: 'roll', inputSchema })
const sides = { type: 'integer' }

describe('a tool of a strict agent', () => {
  test.each<[string, object, object]>([
    [
      'no parameters',
      { type: 'object', properties: {} },
      { type: 'object', properties: {}, required: [], additionalProperties: false },
    ],
    [
      'objects in its parameters',
      {
        type: 'object',
        properties: { dice: { type: 'array', items: { type: 'object', properties: { sides }, required: ['sides'] } } },
        required: ['dice'],
      },
      {
        type: 'object',
        properties: {
          dice: {
            type: 'array',
            items: { type: 'object', properties: { sides }, required: ['sides'], additionalProperties: false },
          },
        },
        required: ['dice'],
        additionalProperties: false,
      },
    ],
    [
      'a choice',
      { type: 'object', properties: { a: { anyOf: [sides, { type: 'null' }] } }, required: ['a'] },
      {
        type: 'object',
        properties: { a: { anyOf: [sides, { type: 'null' }] } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
  ])('is strict with %s', (_, schema, inputSchema) => {
    expect(strictTool(tool(schema))).toEqual({ ...tool(inputSchema), strict: true })
  })

  test.each<[string, object]>([
    ['an optional parameter', { type: 'object', properties: { sides } }],
    [
      'an optional property inside',
      { type: 'object', properties: { a: { type: 'object', properties: { sides } } }, required: ['a'] },
    ],
    ['a map', { type: 'object', properties: { a: { type: 'object', additionalProperties: sides } }, required: ['a'] }],
    ['an object of anything', { type: 'object', properties: { a: { type: 'object' } }, required: ['a'] }],
    ['a list of anything', { type: 'object', properties: { a: { type: 'array', items: true } }, required: ['a'] }],
    ['a reference', { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] }],
  ])('is offered as it is with %s', (_, schema) => {
    expect(strictTool(tool(schema))).toEqual(tool(schema))
  })
})
