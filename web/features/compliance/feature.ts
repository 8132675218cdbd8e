import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const compliance: PageFeature = {
  name: 'compliance',
  routes: [
    {
      path: '/settings/customer-data',
      page: lazyPage(() => import('./customer-data-page.tsx'), 'CustomerDataPage'),
    },
  ],
  settings: [
    {
      section: 'advanced',
      url: '/settings/customer-data',
      title: t('Customers’ data'),
      about: t('Requests of customers for their data, with the document to send them.'),
    },
  ],
}
