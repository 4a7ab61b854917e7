/** One line of a chart. */
export interface Series {
  label: string
  /** A colour of `styles.css`. */
  colour: 'primary' | 'warning' | 'destructive'
  values: number[]
}

export interface TimeChartProps {
  /** What the chart shows, for who doesn't see it. */
  label: string
  /** One time for each value of each line, the oldest first. */
  times: string[]
  series: Series[]
}
