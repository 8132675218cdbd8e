import { lazyPage, type PageFeature } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { WorkflowIcon } from '../../shell/ui/index.ts'

export const workflows: PageFeature = {
  name: 'workflows',
  routes: [
    { path: '/workflows', page: lazyPage(() => import('./workflows-page.tsx'), 'WorkflowsPage') },
    { path: '/workflows/:id', page: lazyPage(() => import('./workflow-page.tsx'), 'WorkflowPage') },
  ],
  navigation: [
    { group: 'automation', url: '/workflows', label: t('Workflows'), icon: WorkflowIcon },
  ],
  settings: [
    {
      section: 'automation',
      url: '/workflows',
      title: t('Workflows'),
      about: t('Custom steps for imports or for existing files.'),
    },
  ],
  commands: [{ label: t('New workflow'), url: '/workflows/new' }],
}
