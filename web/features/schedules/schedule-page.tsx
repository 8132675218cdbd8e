// One scheduled task: a new one, one from a template, or an existing one.
import { navigate, useSearch } from 'wouter/use-browser-location'
import { useSchedule, useTemplates } from './calls.ts'
import { usePlugins } from '../../shell/client/plugins.ts'
import { together } from '../../shell/client/together.ts'
import { useWorkflows } from '../../shell/client/workflows.ts'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { draftOf, emptyDraft } from './draft.ts'
import { ScheduleEditor } from './schedule-editor.tsx'
import { t } from '../../shell/messages/t.ts'

const BACK = { content: t('Scheduled tasks'), url: '/schedules' }

export function SchedulePage({ id }: { id: string }) {
  const fresh = id === 'new'
  // The position of the template in their list, from 1.
  const wanted = Number(new URLSearchParams(useSearch()).get('template') ?? 0)
  const schedule = useSchedule(fresh ? null : id)
  const templates = useTemplates()
  const plugins = usePlugins()
  const workflows = useWorkflows()
  const needed = together([...(fresh ? [templates] : [schedule]), plugins, workflows])
  if (!needed.loaded)
    return (
      <UnloadedPage
        query={needed}
        back={BACK}
        title={t('Scheduled task')}
        what={t('the task')}
        problem={t('The task could not be loaded')}
        missing={{
          title: t('Scheduled task not found'),
          heading: t('This task doesn’t exist'),
          action: t('Go to scheduled tasks'),
        }}
      />
    )
  const template = fresh ? templates.data!.data[wanted - 1] : undefined
  const body = schedule.data ?? template
  return (
    <ScheduleEditor
      // Another template in the address mounts another form.
      key={`${id} ${wanted}`}
      id={fresh ? null : id}
      initial={body ? draftOf(body) : emptyDraft()}
      record={fresh ? undefined : schedule.data}
      templates={fresh && !template ? templates.data!.data : []}
      plugins={plugins.data!.data}
      workflows={workflows.data!.data}
      onSaved={(saved) => fresh && navigate(`/schedules/${saved.id}`, { replace: true })}
    />
  )
}
