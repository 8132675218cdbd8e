import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const upload: PageFeature = {
  name: 'upload',
  routes: [
    { path: '/import/upload', page: lazyPage(() => import('./upload-page.tsx'), 'UploadPage') },
  ],
  commands: [{ label: t('Upload files'), url: '/import/upload' }],
}
