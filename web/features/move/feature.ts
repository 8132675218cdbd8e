import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const move: PageFeature = {
  name: 'move',
  routes: [
    {
      path: '/import/move',
      page: lazyPage(() => import('./move-start-page.tsx'), 'MoveStartPage'),
    },
    { path: '/import/move/:id', page: lazyPage(() => import('./move-page.tsx'), 'MovePage') },
  ],
  commands: [{ label: t('Move to Stevedore'), url: '/import/move' }],
}
