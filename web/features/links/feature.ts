import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { LinkIcon } from '../../shell/ui/index.ts'

export const links: PageFeature = {
  name: 'links',
  routes: [{ path: '/links', page: lazyPage(() => import('./links-page.tsx'), 'LinksPage') }],
  navigation: [{ group: 'sales', url: '/links', label: t('Links'), icon: LinkIcon }],
}
