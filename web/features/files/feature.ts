import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { DeleteIcon, FilesIcon } from '../../shell/ui/index.ts'

export const files: PageFeature = {
  name: 'files',
  routes: [
    { path: '/files', page: lazyPage(() => import('./files-page.tsx'), 'FilesPage') },
    { path: '/files/:id', page: lazyPage(() => import('./file-page.tsx'), 'FilePage') },
    {
      path: '/same-content',
      page: lazyPage(() => import('./same-content-page.tsx'), 'SameContentPage'),
    },
    { path: '/trash', page: lazyPage(() => import('./trash-page.tsx'), 'TrashPage') },
  ],
  navigation: [
    { group: 'files', url: '/files', label: t('All files'), icon: FilesIcon },
    { group: 'files', url: '/trash', label: t('Trash'), icon: DeleteIcon, isLast: true },
  ],
  records: { title: t('Files'), load: async () => (await import('./find.ts')).findFiles },
}
