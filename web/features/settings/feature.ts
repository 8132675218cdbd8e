import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { SettingsIcon } from '../../shell/ui/index.ts'

export const settings: PageFeature = {
  name: 'settings',
  routes: [
    { path: '/settings', page: lazyPage(() => import('./settings-page.tsx'), 'SettingsPage') },
    { path: '/settings/mail', page: lazyPage(() => import('./mail-page.tsx'), 'MailPage') },
    {
      path: '/settings/api-keys',
      page: lazyPage(() => import('./api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
    },
    { path: '/settings/plan', page: lazyPage(() => import('./plan/plan-page.tsx'), 'PlanPage') },
  ],
  navigation: [{ url: '/settings', label: t('Settings'), icon: SettingsIcon }],
  settings: [
    {
      section: 'advanced',
      url: '/settings/plan',
      title: t('Plan'),
      about: t('What your shop may use, and what it has used.'),
    },
    {
      section: 'advanced',
      url: '/settings/api-keys',
      title: t('API keys'),
      about: t('Keys for storefront tools and scripts, with their permissions and last use.'),
    },
  ],
}
