import { lazyPage, type PageFeature } from '../../shell/feature.ts'

export const upload: PageFeature = {
  name: 'upload',
  routes: [
    { path: '/import/upload', page: lazyPage(() => import('./upload-page.tsx'), 'UploadPage') },
  ],
}
