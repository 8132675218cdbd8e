import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { LinkIcon } from '../../shell/ui/index.ts'

export const feeds: PageFeature = {
  name: 'feeds',
  routes: [
    { path: '/import/feeds', page: lazyPage(() => import('./feeds-page.tsx'), 'FeedsPage') },
    {
      path: '/import/feeds/new',
      page: lazyPage(() => import('./new-feed-page.tsx'), 'NewFeedPage'),
    },
    { path: '/import/feeds/:id', page: lazyPage(() => import('./feed-page.tsx'), 'FeedPage') },
  ],
  navigation: [{ group: 'import', url: '/import/feeds', label: t('Feeds'), icon: LinkIcon }],
  commands: [{ label: t('Import a table from an address'), url: '/import/feeds/new' }],
}
