import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const preparation: PageFeature = {
  name: 'preparation',
  routes: [
    {
      path: '/settings/licences',
      page: lazyPage(() => import('./licences-page.tsx'), 'LicencesPage'),
    },
  ],
  settings: [
    {
      section: 'automation',
      url: '/settings/licences',
      title: t('Licence keys'),
      about: t('Lists of keys that orders get, and how many are left.'),
    },
  ],
}
