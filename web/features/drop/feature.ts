import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { FolderIcon } from '../../shell/ui/index.ts'

export const drop: PageFeature = {
  name: 'drop',
  routes: [
    { path: '/import/drop', page: lazyPage(() => import('./drop-page.tsx'), 'DropPage') },
    { path: '/settings/drop', to: '/import/drop' },
  ],
  navigation: [
    { group: 'import', url: '/import/drop', label: t('FTP and SFTP'), icon: FolderIcon },
  ],
}
