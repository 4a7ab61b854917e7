import { isTest, resourceFolderOf } from './house.ts'
import type { Import } from './imports.ts'

/** The imports of each file, by its path. */
export type Imports = ReadonlyMap<string, readonly Import[]>

/** Circles of a directed graph: paths that end at the node they began at. None only where the graph has none. */
function circlesOf(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const done = new Set<string>()
  const circles: string[][] = []
  const walk = (node: string, trail: readonly string[]) => {
    const start = trail.indexOf(node)
    if (start >= 0) circles.push([...trail.slice(start), node])
    else if (!done.has(node)) {
      for (const next of graph.get(node) ?? []) walk(next, [...trail, node])
      done.add(node)
    }
  }
  for (const node of graph.keys()) walk(node, [])
  return circles
}

/** Circles of imports between files, imports of types included. */
export function fileCircleFindings(imports: Imports): string[] {
  const graph = new Map([...imports].map(([path, list]) => [path, list.map(({ target }) => target)]))
  return circlesOf(graph).map(
    (circle) => `A circle of imports: ${circle.join(' → ')}. Move the code that both ends need to a file of its own.`,
  )
}

/** Circles between the folders of resources: imports of types count, those of tests don't. */
export function folderCircleFindings(imports: Imports): string[] {
  const graph = new Map<string, Map<string, string>>()
  for (const [path, list] of imports) {
    const from = resourceFolderOf(path)
    if (!from || isTest(path)) continue
    const examples = graph.get(from) ?? new Map<string, string>()
    graph.set(from, examples)
    for (const { target } of list) {
      const to = resourceFolderOf(target)
      if (to && to !== from) examples.set(to, `${path} imports ${target}`)
    }
  }
  const folders = new Map([...graph].map(([folder, examples]) => [folder, examples.keys()]))
  return circlesOf(folders).map((circle) => {
    const examples = circle.slice(1).map((to, at) => graph.get(circle[at]!)!.get(to)!)
    return (
      `A circle of resource folders: ${circle.join(' → ')} (${examples.join('; ')}). Move the shape or function that ` +
      'both need to the lower folder, or let src/app.ts hand it in as an argument.'
    )
  })
}
