import { useQueries } from '@tanstack/react-query'
import { useId } from 'react'
import { type Group, retrieveAgent } from '../../api/generated.ts'

const WIDTH = 400
const HEIGHT = 220
/** Agents drawn at most. */
const SHOWN = 12

interface Point {
  x: number
  y: number
}

const CENTRE = { x: WIDTH / 2, y: HEIGHT / 2 }

/** The places of agents: the manager in the middle, the others around it. */
const around = (index: number, count: number): Point => {
  const angle = (index / count) * 2 * Math.PI - Math.PI / 2
  return { x: CENTRE.x + Math.cos(angle) * 125, y: CENTRE.y + Math.sin(angle) * 80 }
}

/** Whose turn comes next is known in one direction; elsewhere messages go both ways. */
const isOneWay = ({ manager_type }: Group) => manager_type === 'round_robin'

/** Who talks to whom: each agent to the next one in turn, all to the manager, or all to each other. */
function linesOf(group: Group, places: Point[], managed: boolean): [Point, Point][] {
  if (managed) return places.map((place) => [CENTRE, place])
  if (isOneWay(group)) return places.map((place, at) => [place, places[(at + 1) % places.length]!])
  return places.flatMap((place, at) => places.slice(at + 1).map((other): [Point, Point] => [place, other]))
}

function Agent({ place: { x, y }, name, manages }: { place: Point; name: string; manages?: boolean }) {
  return (
    <g>
      <circle cx={x} cy={y} r={manages ? 9 : 6} className={manages ? 'fill-primary' : 'fill-foreground'} />
      <text
        x={x}
        y={!manages && y < CENTRE.y - 1 ? y - 12 : y + 21}
        textAnchor="middle"
        className="fill-foreground stroke-4 stroke-card text-xs [paint-order:stroke]"
      >
        {name.length > 18 ? `${name.slice(0, 17)}…` : name}
      </text>
    </g>
  )
}

/** The head of an arrow, whose tip is at the edge of the agent's circle. */
const ArrowHead = ({ id }: { id: string }) => (
  <marker id={id} viewBox="0 0 8 8" refX="18" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">
    <path d="M0 0 8 4 0 8z" className="fill-muted-foreground" />
  </marker>
)

/** A drawing of a group: its agents, its manager, and who talks to whom. */
export function Drawing({ group }: { group: Group }) {
  const others = group.agent_ids.filter((id) => id !== group.manager_agent_id).slice(0, SHOWN)
  const ids = group.manager_agent_id ? [...others, group.manager_agent_id] : others
  const queries = useQueries({
    queries: ids.map((id) => ({ queryKey: ['agent', id, 'agent', 'name'], queryFn: () => retrieveAgent(id) })),
  })
  const names = queries.map(({ data }) => data?.name ?? '…')
  const places = others.map((_, index) => around(index, others.length))
  const managed = group.manager_agent_id !== undefined
  const head = useId()
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Who talks to whom: ${names.join(', ')}`}>
      <ArrowHead id={head} />
      {linesOf(group, places, managed).map(([from, to]) => (
        <line
          key={`${from.x} ${from.y} ${to.x} ${to.y}`}
          {...{ x1: from.x, y1: from.y, x2: to.x, y2: to.y }}
          className="stroke-border"
          strokeWidth={1}
          markerEnd={`url(#${head})`}
          {...(!isOneWay(group) && { markerStart: `url(#${head})` })}
        />
      ))}
      {others.map((id, index) => (
        <Agent key={id} place={places[index]!} name={names[index]!} />
      ))}
      {managed && <Agent place={CENTRE} name={names.at(-1)!} manages />}
    </svg>
  )
}
