import { lazyPage, type PageFeature } from '../../shell/feature.ts'

export const mail: PageFeature = {
  name: 'mail',
  routes: [
    {
      path: '/settings/mail-to-buyers',
      page: lazyPage(() => import('./sender-page.tsx'), 'SenderPage'),
    },
    {
      path: '/settings/mail-to-buyers/texts',
      page: lazyPage(() => import('./texts-page.tsx'), 'TextsPage'),
    },
  ],
}
