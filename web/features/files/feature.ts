import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { FilesIcon } from '../../shell/ui/index.ts'

export const files: PageFeature = {
  name: 'files',
  routes: [
    { path: '/files', page: lazyPage(() => import('./files-page.tsx'), 'FilesPage') },
    { path: '/files/:id', page: lazyPage(() => import('./file-page.tsx'), 'FilePage') },
  ],
  navigation: [{ group: 'files', url: '/files', label: t('Files'), icon: FilesIcon }],
  records: { title: t('Files'), load: async () => (await import('./find.ts')).findFiles },
}
