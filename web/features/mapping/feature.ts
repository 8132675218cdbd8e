import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { ReviewIcon } from '../../shell/ui/index.ts'

export const mapping: PageFeature = {
  name: 'mapping',
  routes: [
    { path: '/reviews', page: lazyPage(() => import('./reviews/reviews-page.tsx'), 'ReviewsPage') },
    {
      path: '/settings/mapping-rules',
      page: lazyPage(() => import('./rules/rules-page.tsx'), 'RulesPage'),
    },
  ],
  settings: [
    {
      section: 'automation',
      url: '/settings/mapping-rules',
      title: t('Mapping rules'),
      about: t('Names of files that always belong to the same product.'),
    },
  ],
  navigation: [
    { group: 'files', url: '/reviews', label: t('Reviews'), icon: ReviewIcon, badge: 'reviews' },
  ],
}
