import type { Static } from 'typebox'
import { Page, Query } from '../../../lib/wire.ts'

export const ListAgentIds = Query(Page('agent'))
export type ListAgentIds = Static<typeof ListAgentIds>
