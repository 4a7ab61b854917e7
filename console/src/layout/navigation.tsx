import { Link, useRouter } from '@tanstack/react-router'

/** The links to all pages of the table in pages.ts that have an entry. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const { routesById } = useRouter()
  return (
    <nav aria-label="Pages" className="min-h-0 flex-1 overflow-y-auto px-2 py-1">
      <ul className="grid gap-0.5">
        {Object.values(routesById).map(({ fullPath, options }) => {
          const nav = options.staticData?.nav
          if (!nav) return null
          return (
            <li key={fullPath}>
              <Link
                to={fullPath}
                onClick={onNavigate}
                className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-muted-foreground hover:bg-muted hover:text-foreground focus-visible:outline-2 aria-[current=page]:bg-accent aria-[current=page]:text-accent-foreground"
              >
                <nav.icon className="size-4" aria-hidden />
                {nav.label}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
