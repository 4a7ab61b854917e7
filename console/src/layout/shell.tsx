import { Outlet } from '@tanstack/react-router'
import { MenuIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../components/ui/button.tsx'
import { Sheet } from '../components/ui/sheet.tsx'
import { Brand } from './brand.tsx'
import { Navigation } from './navigation.tsx'
import { SessionMenu } from './session-menu.tsx'

/** The frame of every page: navigation at the left, or behind a button on narrow screens. */
export function Shell() {
  const [open, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <button
        type="button"
        onClick={() => main.current?.focus()}
        className="-translate-y-20 fixed top-2 left-2 z-50 rounded-md bg-primary px-3 py-1.5 text-primary-foreground focus:translate-y-0"
      >
        Skip to the content
      </button>
      <aside className="hidden w-48 shrink-0 flex-col border-r bg-card md:flex">
        <div className="px-4 pt-4 pb-3">
          <Brand />
        </div>
        <Navigation />
        <div className="border-t p-2">
          <SessionMenu />
        </div>
      </aside>
      <header className="flex items-center justify-between border-b bg-card px-2 py-1.5 md:hidden">
        <div className="flex items-center gap-2">
          <Button variant="ghost" size="icon" aria-label="Pages" onClick={() => setOpen(true)}>
            <MenuIcon />
          </Button>
          <Brand />
        </div>
        <SessionMenu />
        <Sheet open={open} onOpenChange={setOpen} title="Pages" side="left">
          <div className="px-4 pt-4 pb-3">
            <Brand />
          </div>
          <Navigation onNavigate={() => setOpen(false)} />
        </Sheet>
      </header>
      <main ref={main} tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto outline-none">
        <Outlet />
      </main>
    </div>
  )
}
