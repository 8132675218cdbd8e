import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { PackIcon } from '../../shell/ui/index.ts'

export const packs: PageFeature = {
  name: 'packs',
  routes: [
    { path: '/packs', page: lazyPage(() => import('./packs-page.tsx'), 'PacksPage') },
    { path: '/packs/:id', page: lazyPage(() => import('./pack-page.tsx'), 'PackPage') },
  ],
  navigation: [{ group: 'files', url: '/packs', label: t('Packs'), icon: PackIcon }],
  records: { title: t('Packs'), load: async () => (await import('./find.ts')).findPacks },
}
