import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const drop: PageFeature = {
  name: 'drop',
  routes: [{ path: '/settings/drop', page: lazyPage(() => import('./drop-page.tsx'), 'DropPage') }],
  settings: [
    {
      section: 'advanced',
      url: '/settings/drop',
      title: t('FTP upload'),
      about: t('Send files by SFTP or FTP: accounts, automatic import, connections.'),
    },
  ],
}
