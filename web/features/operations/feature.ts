import { type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { ClockIcon } from '../../shell/ui/index.ts'
import { OperationsPage } from './operations-page.tsx'
import { OperationPage } from './operation-page.tsx'

export const operations: PageFeature = {
  name: 'operations',
  routes: [
    { path: '/operations', page: OperationsPage },
    { path: '/operations/:id', page: OperationPage },
  ],
  navigation: [{ group: 'activity', url: '/operations', label: t('Operations'), icon: ClockIcon }],
}
