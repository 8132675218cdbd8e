// Scheduled tasks: types and calls.
import { translated } from '../../shell/messages/t.ts'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, etagOf } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { CALM_MS } from '../../shell/client/polling.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type FileFilter, type Schemas } from '../../shell/client/types.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export type NotifySetting = Schemas['Schedule']['notify']

export type ScheduleBody = Required<Schemas['ScheduleRequest']>

export type Schedule = Schemas['Schedule']

export type CronCheck = Schemas['CronCheck']
export type Match = Schemas['ScheduleMatch']

const KEY = ['schedules']
const keyOfOne = (id: string | null) => ['schedule', id]

export const useSchedules = () => useRead('GET /api/schedules', { poll: CALM_MS })

export const useSchedule = (id: string | null) =>
  useRead('GET /api/schedules/{id}', {
    path: { id },
    key: keyOfOne(id),
    // A form is filled once: a later refetch must not change it.
    refetchOnWindowFocus: false,
  })

/** A template for a task. */
export type Template = Partial<ScheduleBody> & Pick<ScheduleBody, 'name'>

const inLanguage = <One extends { name: string }>({ data }: { data: One[] }) => ({
  data: data.map((one) => ({ ...one, name: translated(one.name) })),
})

export const useTemplates = () =>
  useRead('GET /api/schedules/templates', {
    key: ['schedule-templates'],
    select: inLanguage,
    staleTime: Infinity,
  })

export const useCronCheck = (cron: string) =>
  useRead('POST /api/schedules/check', {
    body: cron === '' ? null : { cron },
    keep: true,
    staleTime: 60_000,
  })

/** What a run would find now. `about` null: not known yet. */
export const useMatch = (
  about: { filter: FileFilter; action: string | null; workflow: string | null } | null,
) => useRead('POST /api/schedules/match', { body: about && withoutNulls(about), keep: true })

/** Creates a task, or replaces the one with this id. */
export const useSaveSchedule = (id: string | null, known: KnownTag) =>
  useChangeOf(
    [KEY],
    (schedule: ScheduleBody) => {
      const body = withoutNulls(schedule)
      return id === null
        ? call('POST /api/schedules', { body })
        : edit('PUT /api/schedules/{id}', { path: { id }, body }, known)
    },
    { show: (client, saved) => showAnswer(client, keyOfOne(saved.id), saved) },
  )

/** Switches a task on or off, and leaves everything else as it is now. */
export const useSwitchSchedule = (id: string) =>
  useChangeOf([KEY, keyOfOne(id)], async (enabled: boolean) => {
    const task = await call('GET /api/schedules/{id}', { path: { id } })
    const body = withoutNulls({ ...bodyOf(task), enabled })
    return edit('PUT /api/schedules/{id}', { path: { id }, body }, { current: etagOf(task) })
  })

export const useDeleteSchedule = () =>
  useChangeOf([KEY], (id: string) => call('DELETE /api/schedules/{id}', { path: { id } }), {
    show: (client, _nothing, id) => client.removeQueries({ queryKey: keyOfOne(id) }),
  })

/** Runs the task now; the answer is the operation. */
export const useRunSchedule = () =>
  useChangeOf([KEY], (id: string) => call('POST /api/schedules/{id}/run', { path: { id } }))

/** The body that leaves a task unchanged, without the fields that the server adds. */
const bodyOf = ({
  name,
  enabled,
  cron,
  action,
  workflow,
  options,
  filter,
  notify,
  cap,
}: Schedule) =>
  ({ name, enabled, cron, action, workflow, options, filter, notify, cap }) satisfies ScheduleBody

/** The body without empty values: only one of action and workflow is sent. */
const withoutNulls = <Body extends object>(body: Body): WithoutNulls<Body> =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null),
  ) as WithoutNulls<Body>

type WithoutNulls<Body> = { [Name in keyof Body]: Exclude<Body[Name], null> }
