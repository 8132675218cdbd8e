import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const preparation: PageFeature = {
  name: 'preparation',
  routes: [
    {
      path: '/settings/licences',
      page: lazyPage(() => import('./licences-page.tsx'), 'LicencesPage'),
    },
    {
      path: '/settings/licences/:id',
      page: lazyPage(() => import('./licence-list-page.tsx'), 'LicenceListPage'),
    },
  ],
  settings: [
    {
      section: 'automation',
      url: '/settings/licences',
      title: t('Licence keys'),
      about: t('Keys that orders get: lists of your own, or generated ones.'),
    },
  ],
}
