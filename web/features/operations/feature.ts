import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { ClockIcon } from '../../shell/ui/index.ts'

export const operations: PageFeature = {
  name: 'operations',
  routes: [
    {
      path: '/operations',
      page: lazyPage(() => import('./operations-page.tsx'), 'OperationsPage'),
    },
    {
      path: '/operations/:id',
      page: lazyPage(() => import('./operation-page.tsx'), 'OperationPage'),
    },
  ],
  navigation: [{ group: 'activity', url: '/operations', label: t('Operations'), icon: ClockIcon }],
}
