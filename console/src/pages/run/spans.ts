import type { RunSpan } from '../../api/generated.ts'

/** A span with its place in the waterfall: percentages of the run's duration. */
export interface Row {
  span: RunSpan
  depth: number
  left: number
  width: number
}

const beginOf = (span: RunSpan) => Date.parse(span.start_time)

/** The spans by their beginning, children below their parent. A span without a duration goes on until `now`, in milliseconds. */
export function rowsOf(spans: readonly RunSpan[], now: number): Row[] {
  if (spans.length === 0) return []
  const endOf = (span: RunSpan) => (span.duration_ns === undefined ? now : beginOf(span) + span.duration_ns / 1e6)
  const begin = Math.min(...spans.map(beginOf))
  const length = Math.max(...spans.map(endOf)) - begin || 1
  const sorted = spans.toSorted((a, b) => beginOf(a) - beginOf(b))
  const ids = new Set(spans.map(({ span_id }) => span_id))
  const below = (parent: string | undefined, depth: number): Row[] =>
    sorted
      .filter(({ parent_span_id: id }) => (id && ids.has(id) ? id : undefined) === parent)
      .flatMap((span) => [
        {
          span,
          depth,
          left: ((beginOf(span) - begin) / length) * 100,
          width: ((endOf(span) - beginOf(span)) / length) * 100,
        },
        ...below(span.span_id, depth + 1),
      ])
  return below(undefined, 0)
}

const NAMES: Record<RunSpan['name'], string> = {
  invoke_agent: 'Run',
  time_to_first_token: 'First token',
  agent_step: 'Step',
  summarization: 'Summary',
  execute_tool: 'Tool',
}

/** What a span is called in the waterfall: with its tools or its model, where it has them. */
export function labelOf({ name, attributes }: RunSpan): string {
  const detail = name === 'execute_tool' ? (attributes.tools as string[] | undefined)?.join(', ') : attributes.model
  return detail ? `${NAMES[name]}: ${detail}` : NAMES[name]
}
