import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { FilesIcon } from '../../shell/ui/index.ts'

export const wishes: PageFeature = {
  name: 'wishes',
  routes: [{ path: '/wishes', page: lazyPage(() => import('./wishes-page.tsx'), 'WishesPage') }],
  navigation: [{ group: 'files', url: '/wishes', label: t('Wishes'), icon: FilesIcon }],
}
