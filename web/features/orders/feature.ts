import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { DeliveriesIcon } from '../../shell/ui/index.ts'

export const orders: PageFeature = {
  name: 'orders',
  routes: [
    {
      path: '/deliveries',
      page: lazyPage(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
    },
    {
      path: '/deliveries/import',
      page: lazyPage(() => import('./import-page.tsx'), 'ImportOrdersPage'),
    },
    {
      path: '/deliveries/new-files',
      page: lazyPage(() => import('./new-files-page.tsx'), 'NewFilesPage'),
    },
    {
      path: '/deliveries/products-without-files',
      page: lazyPage(() => import('./unfiled-page.tsx'), 'UnfiledPage'),
    },
    {
      path: '/deliveries/:id',
      page: lazyPage(() => import('./delivery-page.tsx'), 'DeliveryPage'),
    },
    {
      path: '/settings/deliveries',
      page: lazyPage(() => import('./settings/delivery-settings-page.tsx'), 'DeliverySettingsPage'),
    },
  ],
  navigation: [
    { group: 'sales', url: '/deliveries', label: t('Deliveries'), icon: DeliveriesIcon },
  ],
  settings: [
    {
      section: 'automation',
      url: '/settings/deliveries',
      title: t('Deliveries'),
      about: t('When orders are delivered, who sends the link, and what happens to risky orders.'),
    },
  ],
  records: { title: t('Deliveries'), load: async () => (await import('./find.ts')).findDeliveries },
}
