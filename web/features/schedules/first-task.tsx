// What a shop without scheduled tasks sees: what they are for, and templates to begin with.
import { useTemplates } from './calls.ts'
import { Nothing } from '../../shell/components/lists.tsx'
import { Card } from '../../shell/ui/index.ts'
import { Templates } from './templates.tsx'
import { t } from '../../shell/messages/t.ts'

export function FirstTask() {
  const templates = useTemplates()
  return (
    <>
      <Card padding="0">
        <Nothing
          why="new"
          heading={t('Nothing is scheduled yet')}
          action={{ content: t('New task'), url: '/schedules/new' }}
        >
          {t('A scheduled task runs an action on all matching files at fixed times.')}
        </Nothing>
      </Card>
      {templates.data && templates.data.data.length > 0 && (
        <Templates templates={templates.data.data} />
      )}
    </>
  )
}
