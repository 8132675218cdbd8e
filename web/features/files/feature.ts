import { type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { FilesIcon } from '../../shell/ui/index.ts'
import { FilesPage } from './files-page.tsx'
import { FilePage } from './file-page.tsx'

export const files: PageFeature = {
  name: 'files',
  routes: [
    { path: '/files', page: FilesPage },
    { path: '/files/:id', page: FilePage },
  ],
  navigation: [{ group: 'files', url: '/files', label: t('Files'), icon: FilesIcon }],
  records: { title: t('Files'), load: async () => (await import('./find.ts')).findFiles },
}
