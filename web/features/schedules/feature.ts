import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { CalendarIcon } from '../../shell/ui/index.ts'

export const schedules: PageFeature = {
  name: 'schedules',
  routes: [
    { path: '/schedules', page: lazyPage(() => import('./schedules-page.tsx'), 'SchedulesPage') },
    { path: '/schedules/:id', page: lazyPage(() => import('./schedule-page.tsx'), 'SchedulePage') },
  ],
  navigation: [
    { group: 'automation', url: '/schedules', label: t('Scheduled tasks'), icon: CalendarIcon },
  ],
  settings: [
    {
      section: 'automation',
      url: '/schedules',
      title: t('Scheduled tasks'),
      about: t('Delete old files, add tags by rules or run a workflow at fixed times.'),
    },
  ],
  commands: [{ label: t('New task'), url: '/schedules/new' }],
}
