// What a shop without scheduled tasks sees: what they are for, and templates to begin with.
import { useTemplates } from '../../client/schedules.ts'
import { Nothing } from '../../components/lists.tsx'
import { Card } from '../../ui/index.ts'
import { Templates } from './templates.tsx'

export function FirstTask() {
  const templates = useTemplates()
  return (
    <>
      <Card padding="0">
        <Nothing
          why="new"
          heading="Nothing is scheduled yet"
          action={{ content: 'New task', url: '/schedules/new' }}
        >
          A scheduled task does something to the files that match, again and again, while nobody is
          looking.
        </Nothing>
      </Card>
      {templates.data && templates.data.data.length > 0 && (
        <Templates templates={templates.data.data} />
      )}
    </>
  )
}
