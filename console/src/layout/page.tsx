import { type ReactNode, useEffect } from 'react'

interface Props {
  title: string
  /** Beside the title: badges, the name of the parent. */
  detail?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** The frame of a page's content: its title, also in the tab, its buttons, and what fills the rest. */
export function Page({ title, detail, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Cairn`
  }, [title])
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 px-4 py-3 md:px-6 md:py-4">
      <header className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 items-center gap-2">
          <h1 className="truncate font-semibold text-lg">{title}</h1>
          {detail}
        </div>
        <div className="flex flex-wrap gap-2">{actions}</div>
      </header>
      {children}
    </div>
  )
}

/** The row of filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-2">{children}</div>
}
