import { lazyPage, type PageFeature } from '../../shell/feature.ts'

export const csv: PageFeature = {
  name: 'csv',
  routes: [
    { path: '/import/csv', page: lazyPage(() => import('./csv-start-page.tsx'), 'CsvStartPage') },
    { path: '/import/csv/:id', page: lazyPage(() => import('./csv-page.tsx'), 'CsvPage') },
  ],
}
