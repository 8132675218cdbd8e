import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { NotificationIcon } from '../../shell/ui/index.ts'

export const notices: PageFeature = {
  name: 'notices',
  routes: [{ path: '/notices', page: lazyPage(() => import('./notices-page.tsx'), 'NoticesPage') }],
  navigation: [
    {
      group: 'activity',
      url: '/notices',
      label: t('Notices'),
      icon: NotificationIcon,
      badge: 'unread',
    },
  ],
}
