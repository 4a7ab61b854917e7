import { Badge } from './ui/badge.tsx'

/** The tags of a resource. */
export function Tags({ tags }: { tags: readonly string[] | undefined }) {
  return (
    <span className="flex gap-1 overflow-hidden">
      {tags?.map((tag) => (
        <Badge key={tag} className="shrink-0">
          {tag}
        </Badge>
      ))}
    </span>
  )
}
