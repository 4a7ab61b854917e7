import { lazyRouteComponent as lazy } from '@tanstack/react-router'
import {
  ActivityIcon,
  BotIcon,
  BrainIcon,
  CpuIcon,
  FolderIcon,
  IdCardIcon,
  LayoutTemplateIcon,
  LibraryIcon,
  RssIcon,
  SettingsIcon,
  UsersIcon,
  WrenchIcon,
} from 'lucide-react'
import { page, startRoute } from './root-route.ts'

/** Every page, in the order of the navigation. A page's code is loaded when it is first opened. */
export const routes = [
  startRoute,
  page(
    '/agents',
    lazy(() => import('./pages/agents/agents-page.tsx'), 'AgentsPage'),
    { label: 'Agents', icon: BotIcon },
  ),
  page(
    '/agents/$agentId',
    lazy(() => import('./pages/agent/agent-page.tsx'), 'AgentPage'),
  ),
  page(
    '/runs',
    lazy(() => import('./pages/runs/runs-page.tsx'), 'RunsPage'),
    { label: 'Runs', icon: ActivityIcon },
  ),
  page(
    '/runs/$runId',
    lazy(() => import('./pages/run/run-page.tsx'), 'RunPage'),
  ),
  page(
    '/archives',
    lazy(() => import('./pages/archives/archives-page.tsx'), 'ArchivesPage'),
    { label: 'Archives', icon: LibraryIcon },
  ),
  page(
    '/archives/$archiveId',
    lazy(() => import('./pages/archive/archive-page.tsx'), 'ArchivePage'),
  ),
  page(
    '/folders',
    lazy(() => import('./pages/folders/folders-page.tsx'), 'FoldersPage'),
    { label: 'Folders', icon: FolderIcon },
  ),
  page(
    '/folders/$folderId',
    lazy(() => import('./pages/folder/folder-page.tsx'), 'FolderPage'),
  ),
  page(
    '/blocks',
    lazy(() => import('./pages/blocks/blocks-page.tsx'), 'BlocksPage'),
    { label: 'Blocks', icon: BrainIcon },
  ),
  page(
    '/tools',
    lazy(() => import('./pages/tools/tools-page.tsx'), 'ToolsPage'),
    { label: 'Tools', icon: WrenchIcon },
  ),
  page(
    '/tools/$toolId',
    lazy(() => import('./pages/tool/tool-page.tsx'), 'ToolPage'),
  ),
  page(
    '/identities',
    lazy(() => import('./pages/identities/identities-page.tsx'), 'IdentitiesPage'),
    { label: 'Identities', icon: IdCardIcon },
  ),
  page(
    '/groups',
    lazy(() => import('./pages/groups/groups-page.tsx'), 'GroupsPage'),
    { label: 'Groups', icon: UsersIcon },
  ),
  page(
    '/templates',
    lazy(() => import('./pages/templates/templates-page.tsx'), 'TemplatesPage'),
    { label: 'Templates', icon: LayoutTemplateIcon },
  ),
  page(
    '/models',
    lazy(() => import('./pages/models/models-page.tsx'), 'ModelsPage'),
    { label: 'Models', icon: CpuIcon },
  ),
  page(
    '/feed',
    lazy(() => import('./pages/feed/feed-page.tsx'), 'FeedPage'),
    { label: 'Feed', icon: RssIcon },
  ),
  page(
    '/admin',
    lazy(() => import('./pages/admin/admin-page.tsx'), 'AdminPage'),
    { label: 'Administration', icon: SettingsIcon },
  ),
] as const
