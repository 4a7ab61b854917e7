import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useDark } from '../../layout/theme.ts'
import type { TimeChartProps } from './chart-props.ts'

/** Room for the legend below the canvas, in pixels. */
const LEGEND = 32

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ width: clientWidth, height: clientHeight - LEGEND })

const dataOf = ({ times, series }: TimeChartProps): UPlot.AlignedData => [
  times.map((time) => Date.parse(time) / 1000),
  ...series.map(({ values }) => values),
]

/** A chart without data, in the present colours of the page: a canvas knows no variables of CSS. */
function createPlot(element: HTMLElement, { series }: TimeChartProps): UPlot {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(`--${name}`)
  const axis = { stroke: colour('muted-foreground'), grid: { stroke: colour('border') }, ticks: { show: false } }
  const options: UPlot.Options = {
    ...sizeOf(element),
    cursor: { drag: { x: false, y: false } },
    // From zero on, and not flat where all values are zero.
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 1)] } },
    axes: [axis, { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5] }],
    series: [
      { value: '{HH}:{mm}' },
      ...series.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
      })),
    ],
  }
  return new UPlot(options, undefined, element)
}

/** The chart of a `TimeChart`, drawn by uPlot as wide as there is room. */
export function TimePlot(props: TimeChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const dark = useDark()
  // Made anew for other colours; the values come below.
  useEffect(() => {
    plot.current = createPlot(element.current!, props)
    const observer = new ResizeObserver(() => plot.current?.setSize(sizeOf(element.current!)))
    observer.observe(element.current!)
    return () => {
      observer.disconnect()
      plot.current?.destroy()
    }
  }, [dark])
  useEffect(() => plot.current?.setData(dataOf(props)))
  return <div ref={element} className="h-full text-xs" />
}
