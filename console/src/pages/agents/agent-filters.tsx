import { SearchBox } from '../../components/search-box.tsx'
import { SelectField } from '../../components/ui/select-field.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters } from '../../layout/page.tsx'
import { TagFilter } from './tag-filter.tsx'

/** Orders of the list, as `order_by.order`. The first one is the default. */
export const SORTS = [
  ['created_at.desc', 'Newest first'],
  ['created_at.asc', 'Oldest first'],
  ['updated_at.desc', 'Changed last'],
  ['last_run_completion.desc', 'Ran last'],
] as const

const ENDED = [
  ['', 'Any last run'],
  ['end_turn', 'Last run: finished'],
  ['requires_approval', 'Last run: waits for approval'],
  ['cancelled', 'Last run: cancelled'],
  ['error', 'Last run: error'],
  ['llm_api_error', 'Last run: model failed'],
  ['max_steps', 'Last run: too many steps'],
] as const

/** Search, tags, the end of the last run, and the order. */
export function AgentFilters() {
  const [text, setText] = useFilter('q')
  const [ended, setEnded] = useFilter('ended')
  const [sort, setSort] = useFilter('sort')
  return (
    <Filters>
      <SearchBox label="Search agents by name" value={text} onChange={setText} />
      <TagFilter />
      <SelectField label="End of the last run" value={ended} onChange={setEnded} choices={ENDED} />
      <SelectField label="Order" value={sort || SORTS[0][0]} onChange={setSort} choices={SORTS} />
    </Filters>
  )
}
