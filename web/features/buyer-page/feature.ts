import { lazyPage, type PageFeature } from '../../shell/feature.ts'

export const buyerPage: PageFeature = {
  name: 'buyer-page',
  routes: [
    {
      path: '/settings/buyer-page',
      page: lazyPage(() => import('./buyer-page-page.tsx'), 'BuyerPagePage'),
    },
  ],
}
