import { lazy, Suspense } from 'react'
import type { TimeChartProps } from './chart-props.ts'

const Plot = lazy(() => import('./time-plot.tsx').then(({ TimePlot }) => ({ default: TimePlot })))

/** Figures over time, as lines; the library is loaded when the first chart is shown. */
export function TimeChart(props: TimeChartProps) {
  return (
    <div role="img" aria-label={props.label} className="h-48 min-w-0">
      <Suspense>
        <Plot {...props} />
      </Suspense>
    </div>
  )
}
