import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { connectionName } from '../../shell/messages/connection-name.ts'
import { t } from '../../shell/messages/t.ts'
import { CloudIcon } from '../../shell/ui/index.ts'

export const cloud: PageFeature = {
  name: 'cloud',
  channel: {
    id: 'cloud',
    labelText: connectionName,
    undoNote: t(
      'Only your shop is changed. What was sent to the provider, or deleted there, stays so.',
    ),
  },
  routes: [
    {
      path: '/import/connections',
      page: lazyPage(() => import('./connections-page.tsx'), 'ConnectionsPage'),
    },
    {
      path: '/import/connections/new',
      page: lazyPage(() => import('./new-connection-page.tsx'), 'NewConnectionPage'),
    },
    {
      path: '/import/connections/:id',
      page: lazyPage(() => import('./connection-page.tsx'), 'ConnectionPage'),
    },
    { path: '/settings/connections', to: '/import/connections' },
    { path: '/settings/connections/new', to: '/import/connections/new' },
    { path: '/settings/connections/:id', to: '/import/connections/:id' },
  ],
  navigation: [
    {
      group: 'import',
      url: '/import/connections',
      label: t('Cloud connections'),
      icon: CloudIcon,
    },
  ],
  commands: [{ label: t('Connect cloud storage'), url: '/import/connections/new' }],
}
