import { LogOutIcon, MonitorIcon, MoonIcon, SunIcon } from 'lucide-react'
import { signOut } from '../api/key.ts'
import { Button } from '../components/ui/button.tsx'
import { Menu, MenuItem } from '../components/ui/menu.tsx'
import { chooseTheme, useDark } from './theme.ts'

/** The choice of the theme, and the end of the session. */
export function SessionMenu() {
  return (
    <div className="flex items-center gap-1">
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label="Theme">
            {useDark() ? <MoonIcon /> : <SunIcon />}
          </Button>
        }
      >
        <MenuItem onSelect={() => chooseTheme('light')}>
          <SunIcon /> Light
        </MenuItem>
        <MenuItem onSelect={() => chooseTheme('dark')}>
          <MoonIcon /> Dark
        </MenuItem>
        <MenuItem onSelect={() => chooseTheme('system')}>
          <MonitorIcon /> As the system
        </MenuItem>
      </Menu>
      <Button variant="ghost" size="icon" aria-label="Sign out" onClick={signOut}>
        <LogOutIcon />
      </Button>
    </div>
  )
}
