// One scheduled task: a new one, one from a template, or an existing one.
import { navigate, useSearch } from 'wouter/use-browser-location'
import { useSchedule, useTemplates } from './calls.ts'
import { usePlugins } from '../../shell/client/plugins.ts'
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
  const needed = [...(fresh ? [templates] : [schedule]), plugins, workflows]
  const error = needed.find((query) => query.data === undefined && query.error)?.error ?? null
  if (error || needed.some(({ data }) => data === undefined))
    return (
      <UnloadedPage
        error={error}
        retrying={needed.some(({ isFetching }) => isFetching)}
        onRetry={() => needed.forEach((query) => query.error && void query.refetch())}
        back={BACK}
        texts={{
          title: t('Scheduled task'),
          missingTitle: t('Scheduled task not found'),
          missing: t('This task doesn’t exist'),
          goToList: t('Go to scheduled tasks'),
          failed: t('The task could not be loaded'),
          what: t('the task'),
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
