import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Loaded } from '../../components/states.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Page } from '../../layout/page.tsx'
import { CancelRun } from './cancel-run.tsx'
import { readRun } from './read-run.ts'
import { RunFacts } from './run-facts.tsx'
import { StepPanel } from './step-panel.tsx'
import { StepTable } from './step-table.tsx'
import { Waterfall } from './waterfall.tsx'

const REFRESH_MS = 1_000

/** One run: its steps as a waterfall, and every detail of each. It refreshes itself while the run goes on. */
export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' })
  const [stepId, setStepId] = useFilter('step')
  const run = useQuery({
    queryKey: ['run', runId],
    queryFn: () => readRun(runId),
    refetchInterval: ({ state }) => (state.data?.active ? REFRESH_MS : false),
  })
  return (
    <Loaded query={run}>
      {({ run, usage, steps, spans, agentName, active }) => {
        const step = steps.find(({ id }) => id === stepId)
        return (
          <Page
            title="Run"
            detail={
              <>
                <StatusBadge status={run.status} />
                <span className="truncate text-muted-foreground">
                  of{' '}
                  <Link
                    to="/agents/$agentId"
                    params={{ agentId: run.agent_id }}
                    className="text-primary hover:underline"
                  >
                    {agentName ?? run.agent_id}
                  </Link>
                </span>
              </>
            }
            actions={active && <CancelRun run={run} />}
          >
            <RunFacts run={run} usage={usage} steps={steps} />
            <Waterfall spans={spans} />
            <StepTable steps={steps} chosen={stepId} onChoose={setStepId} />
            {step && <StepPanel key={step.id} step={step} />}
          </Page>
        )
      }}
    </Loaded>
  )
}
