import { type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { NotificationIcon } from '../../shell/ui/index.ts'
import { NoticesPage } from './notices-page.tsx'

export const notices: PageFeature = {
  name: 'notices',
  routes: [{ path: '/notices', page: NoticesPage }],
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
