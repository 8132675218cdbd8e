// The people who bought files, by their email addresses. On the server it is part of `library`.
import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { BuyersIcon } from '../../shell/ui/index.ts'

export const buyers: PageFeature = {
  name: 'buyers',
  routes: [
    { path: '/buyers', page: lazyPage(() => import('./buyers-page.tsx'), 'BuyersPage') },
    { path: '/buyers/detail', page: lazyPage(() => import('./buyer-page.tsx'), 'BuyerPage') },
  ],
  navigation: [{ group: 'sales', url: '/buyers', label: t('Buyers'), icon: BuyersIcon }],
}
