import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { ImportIcon } from '../../shell/ui/index.ts'

export const imports: PageFeature = {
  name: 'imports',
  routes: [{ path: '/import', page: lazyPage(() => import('./import-page.tsx'), 'ImportPage') }],
  navigation: [
    { group: 'import', url: '/import', label: t('Import'), icon: ImportIcon, badge: 'uploading' },
  ],
}
