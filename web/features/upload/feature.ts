import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { DropAnywhere } from './drop-anywhere.tsx'

export const upload: PageFeature = {
  name: 'upload',
  routes: [
    { path: '/import/upload', page: lazyPage(() => import('./upload-page.tsx'), 'UploadPage') },
    { path: '/import/link', page: lazyPage(() => import('./link-page.tsx'), 'LinkPage') },
  ],
  everywhere: DropAnywhere,
  commands: [
    { label: t('Upload files'), url: '/import/upload' },
    { label: t('Add a web link'), url: '/import/link' },
  ],
}
