import type { PassageArchive } from '../data/passages.ts'
import type { Call } from './operations.ts'

const QUERY_WORDS = 12
const TEXT_WORDS = 40
/** Hits of a search: recall@10. */
export const TOP = 10
/** Passages that one request creates. */
export const BATCH_SIZE = 25

/** A search of the archive for a new query text. */
export const searchCall = ({ archiveId, topics }: PassageArchive, extra: object = {}): Call => ({
  method: 'POST',
  path: '/v1/passages/search',
  body: JSON.stringify({ query: topics.text(QUERY_WORDS), archive_id: archiveId, limit: TOP, ...extra }),
})

/** A request that creates `BATCH_SIZE` new passages. */
export const batchCall = ({ archiveId, topics }: PassageArchive): Call => ({
  method: 'POST',
  path: `/v1/archives/${archiveId}/passages/batch`,
  body: JSON.stringify({
    passages: Array.from({ length: BATCH_SIZE }, () => ({ text: topics.text(TEXT_WORDS), tags: ['made'] })),
  }),
})
