import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { HomeIcon } from '../../shell/ui/index.ts'

export const home: PageFeature = {
  name: 'home',
  routes: [{ path: '/', page: lazyPage(() => import('./home-page.tsx'), 'HomePage') }],
  navigation: [{ url: '/', label: t('Home'), icon: HomeIcon }],
}
