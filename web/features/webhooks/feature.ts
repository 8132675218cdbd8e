import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const webhooks: PageFeature = {
  name: 'webhooks',
  routes: [
    {
      path: '/settings/webhooks',
      page: lazyPage(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
    },
    {
      path: '/settings/webhooks/:id',
      page: lazyPage(() => import('./webhook-page.tsx'), 'WebhookPage'),
    },
  ],
  settings: [
    {
      section: 'advanced',
      url: '/settings/webhooks',
      title: t('Webhooks'),
      about: t('Signed messages that tell your programs what happens here.'),
    },
  ],
}
