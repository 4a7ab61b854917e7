import type { Step } from '../../api/generated.ts'
import { cn } from '../../components/class-names.ts'
import { formatCost, formatNumber } from '../../components/quantities.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Button } from '../../components/ui/button.tsx'

const HEADERS = ['Step', 'Status', 'Model', 'Tokens in', 'Cached', 'Tokens out', 'Cost', 'Ended with']
const NUMBER = 'px-3 py-1.5 text-right tabular-nums'

interface Props {
  steps: Step[]
  chosen: string
  onChoose: (stepId: string) => void
}

/** The steps of a run; one of them is chosen for its details. */
export function StepTable({ steps, chosen, onChoose }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
    <section aria-label="Steps" tabIndex={0} className="shrink-0 overflow-x-auto rounded-lg border bg-card">
      <table className="w-full whitespace-nowrap">
        <thead className="bg-muted text-muted-foreground text-xs">
          <tr>
            {HEADERS.map((header) => (
              <th
                key={header}
                scope="col"
                className={cn('h-8 px-3 font-medium', /Tokens|Cached|Cost/.test(header) ? 'text-right' : 'text-left')}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {steps.map((step, index) => (
            <tr key={step.id} className={cn('hover:bg-muted/60', step.id === chosen && 'bg-accent')}>
              <td className="px-3 py-1.5">
                <Button
                  variant="link"
                  size="small"
                  className="px-0"
                  aria-pressed={step.id === chosen}
                  onClick={() => onChoose(step.id === chosen ? '' : step.id)}
                >
                  Step {index + 1}
                </Button>
              </td>
              <td className="px-3">
                <StatusBadge status={step.status} />
              </td>
              <td className="px-3">{step.model_handle ?? step.model}</td>
              <td className={NUMBER}>{formatNumber(step.prompt_tokens)}</td>
              <td className={NUMBER}>{formatNumber(step.cached_input_tokens)}</td>
              <td className={NUMBER}>{formatNumber(step.completion_tokens)}</td>
              <td className={NUMBER}>{formatCost(step.cost)}</td>
              <td className="px-3">{step.stop_reason?.replaceAll('_', ' ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
