import { type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { HomeIcon } from '../../shell/ui/index.ts'
import { HomePage } from './home-page.tsx'

export const home: PageFeature = {
  name: 'home',
  routes: [{ path: '/', page: HomePage }],
  navigation: [{ url: '/', label: t('Home'), icon: HomeIcon }],
}
