import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const cloud: PageFeature = {
  name: 'cloud',
  routes: [
    {
      path: '/settings/connections',
      page: lazyPage(() => import('./connections-page.tsx'), 'ConnectionsPage'),
    },
    {
      path: '/settings/connections/new',
      page: lazyPage(() => import('./new-connection-page.tsx'), 'NewConnectionPage'),
    },
    {
      path: '/settings/connections/:id',
      page: lazyPage(() => import('./connection-page.tsx'), 'ConnectionPage'),
    },
  ],
  settings: [
    {
      section: 'automation',
      url: '/settings/connections',
      title: t('Connections'),
      about: t('Folders and buckets in the cloud whose files are kept in sync.'),
    },
  ],
}
