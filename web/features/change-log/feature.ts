import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const changeLog: PageFeature = {
  name: 'change-log',
  routes: [
    {
      path: '/settings/changes',
      page: lazyPage(() => import('./change-log-page.tsx'), 'ChangeLogPage'),
    },
  ],
  settings: [
    {
      section: 'advanced',
      url: '/settings/changes',
      title: t('Log of changes'),
      about: t('Who changed settings, keys, workflows, rules and connections, and what.'),
    },
  ],
}
