import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const csv: PageFeature = {
  name: 'csv',
  routes: [
    { path: '/import/csv', page: lazyPage(() => import('./csv-start-page.tsx'), 'CsvStartPage') },
    { path: '/import/csv/:id', page: lazyPage(() => import('./csv-page.tsx'), 'CsvPage') },
  ],
  commands: [{ label: t('Import a CSV file'), url: '/import/csv' }],
}
