import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { ReviewIcon } from '../../shell/ui/index.ts'

export const mapping: PageFeature = {
  name: 'mapping',
  routes: [
    { path: '/reviews', page: lazyPage(() => import('./reviews/reviews-page.tsx'), 'ReviewsPage') },
  ],
  navigation: [
    { group: 'files', url: '/reviews', label: t('Reviews'), icon: ReviewIcon, badge: 'reviews' },
  ],
}
