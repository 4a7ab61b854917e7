import { Type } from 'typebox'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import type { Embedders } from '../models/embedding.ts'
import { getContainer } from '../passages/container.ts'
import { checkEmbedder, embedNewPassages } from '../passages/embed.ts'
import { addPassages, deletePassage, listPassages, retrievePassage, withEmbeddings } from '../passages/passages.ts'
import { preparePassages } from '../passages/prepare.ts'
import {
  ArchivePassageParams,
  CreatePassage,
  CreatePassages,
  IncludeVectors,
  ListPassages,
  MOST_WITH_VECTORS,
  Passage,
} from '../passages/schema.ts'
import { ArchiveParams } from './schema.ts'

const tags = ['passages']
const params = ArchiveParams
const one = { 200: Ref(Passage) }
const many = { 200: Type.Array(Ref(Passage)) }

/** How much larger than others the body of a batch may be. */
const BATCH = 4

/**
 * As many passages as an embedded database takes with their vectors: indexing them in one transaction has everybody else
 * wait. Those of more are left to background work, of which each transaction is short.
 */
const MOST_EMBEDDED = 200

/**
 * `/v1/archives/{archive_id}/passages`. `bodyLimit`: the largest body of other requests, in bytes. `embedded`: whether the
 * database is the embedded one.
 */
export const passageRoutes = (embedders: Embedders, bodyLimit: number, embedded: boolean) => async (app: App) => {
  app.get(
    '/:archive_id/passages',
    {
      schema: {
        operationId: 'list_passages',
        summary: 'List the passages of an archive, oldest first',
        tags,
        params,
        querystring: ListPassages,
        response: many,
      },
    },
    ({ scope, params, query }) => listPassages(scope, params.archive_id, query),
  )

  app.post(
    '/:archive_id/passages',
    prepared({
      config: { callsUpstream: true },
      schema: {
        operationId: 'create_passage',
        summary: 'Create a passage',
        tags,
        params,
        querystring: IncludeVectors,
        body: CreatePassage,
        response: one,
      },
      prepare: ({ scope, params, body }) =>
        preparePassages(
          [body],
          () => 'created_at',
          async (texts) => embedNewPassages(scope, embedders, await getContainer(scope, params.archive_id), texts),
        ),
      async handle({ scope, params, query }, { list, vectors }) {
        const [made] = await addPassages(scope, params, list, vectors())
        return query.include ? retrievePassage(scope, params.archive_id, made!.id, query) : made!
      },
    }),
  )

  app.post(
    '/:archive_id/passages/batch',
    prepared({
      bodyLimit: BATCH * bodyLimit,
      config: { callsUpstream: true },
      schema: {
        operationId: 'create_passages',
        summary: 'Create passages in the order given: all of them or, if one cannot be, none',
        tags,
        params,
        querystring: IncludeVectors,
        body: CreatePassages,
        response: many,
      },
      async prepare({ scope, params, query, body }) {
        if (query.include && body.passages.length > MOST_WITH_VECTORS) {
          throw invalid(inBody('passages', `must be at most ${MOST_WITH_VECTORS} with include=passage.embedding`))
        }
        const later = embedded && !query.include && body.passages.length > MOST_EMBEDDED
        return preparePassages(
          body.passages,
          (place) => `passages[${place}].created_at`,
          async (texts) => {
            const archive = await getContainer(scope, params.archive_id)
            if (!later) return embedNewPassages(scope, embedders, archive, texts)
            await checkEmbedder(scope, embedders, archive)
            return undefined
          },
        )
      },
      handle: async ({ scope, params, query }, { list, vectors }) =>
        withEmbeddings(scope, await addPassages(scope, params, list, vectors()), query),
    }),
  )

  app.get(
    '/:archive_id/passages/:passage_id',
    {
      schema: {
        operationId: 'retrieve_passage',
        summary: 'Retrieve a passage of an archive',
        tags,
        params: ArchivePassageParams,
        querystring: IncludeVectors,
        response: one,
      },
    },
    ({ scope, params, query }) => retrievePassage(scope, params.archive_id, params.passage_id, query),
  )

  app.delete(
    '/:archive_id/passages/:passage_id',
    {
      schema: {
        operationId: 'delete_passage',
        summary: 'Delete a passage of an archive',
        tags,
        params: ArchivePassageParams,
        response: { 204: NoContent },
      },
    },
    async ({ scope, params }, reply) => {
      await deletePassage(scope, params.archive_id, params.passage_id)
      reply.code(204)
    },
  )
}
