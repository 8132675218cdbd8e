// Scheduled tasks: types and calls.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { translated } from '../../shell/messages/t.ts'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, etagOf } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { ApiError } from '../../shell/client/error.ts'
import {
  type FileFilter,
  type Operation,
  type Page,
  type Schemas,
} from '../../shell/client/types.ts'

export type Notify = Schemas['Schedule']['notify']

export type ScheduleBody = Required<Schemas['ScheduleRequest']>

export type Schedule = Schemas['Schedule']

export type CronCheck = Schemas['CronCheck']
export type Match = Schemas['ScheduleMatch']

const KEY = ['schedules']
const LIST_MS = 5000

export const useSchedules = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call<Page<Schedule>>('/api/schedules', { signal }),
    refetchInterval: ({ state }) =>
      state.error instanceof ApiError && !state.error.passing ? false : LIST_MS,
  })

export const useSchedule = (id: string | null) =>
  useQuery({
    queryKey: ['schedule', id],
    queryFn: ({ signal }) => call<Schedule>(`/api/schedules/${id}`, { signal }),
    enabled: id !== null,
    // A form is filled once: a later refetch must not change it.
    refetchOnWindowFocus: false,
  })

/** A template for a task. */
export type Template = Partial<ScheduleBody> & Pick<ScheduleBody, 'name'>

export const useTemplates = () =>
  useQuery({
    queryKey: ['schedule-templates'],
    queryFn: async ({ signal }) => {
      const list = await call<{ data: Template[] }>('/api/schedules/templates', { signal })
      return { data: list.data.map((one) => ({ ...one, name: translated(one.name) })) }
    },
    staleTime: Infinity,
  })

export const useCronCheck = (cron: string) =>
  useQuery({
    queryKey: ['cron-check', cron],
    queryFn: ({ signal }) =>
      call<CronCheck>('/api/schedules/check', { method: 'POST', body: { cron }, signal }),
    enabled: cron !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** What a run would find now. `about` null: not known yet. */
export const useMatch = (
  about: { filter: FileFilter; action: string | null; workflow: string | null } | null,
) =>
  useQuery({
    queryKey: ['schedule-match', about],
    queryFn: ({ signal }) =>
      call<Match>('/api/schedules/match', {
        method: 'POST',
        body: withoutNulls(about ?? {}),
        signal,
      }),
    enabled: about !== null,
    placeholderData: keepPreviousData,
  })

/** Creates a task, or replaces the one with this id. */
export function useSaveSchedule(id: string | null, known: KnownTag) {
  const client = useQueryClient()
  return useMutation<Schedule, Error, ScheduleBody>({
    mutationFn: (body) =>
      id === null
        ? call('/api/schedules', { method: 'POST', body: withoutNulls(body) })
        : edit(`/api/schedules/${id}`, 'PUT', withoutNulls(body), known),
    onSuccess: (saved) => {
      client.setQueryData(['schedule', saved.id], saved)
      return client.invalidateQueries({ queryKey: KEY })
    },
  })
}

/** Switches a task on or off, and leaves everything else as it is now. */
export const useSwitchSchedule = (id: string) =>
  useChangeOf<boolean, Schedule>([KEY, ['schedule', id]], async (enabled) => {
    const task = await call<Schedule>(`/api/schedules/${id}`)
    const body = withoutNulls({ ...bodyOf(task), enabled })
    return edit(`/api/schedules/${id}`, 'PUT', body, { current: etagOf(task) })
  })

export function useDeleteSchedule() {
  const client = useQueryClient()
  return useMutation<void, Error, string>({
    mutationFn: (id) => call(`/api/schedules/${id}`, { method: 'DELETE' }),
    onSuccess: (_nothing, id) => {
      client.removeQueries({ queryKey: ['schedule', id] })
      return client.invalidateQueries({ queryKey: KEY })
    },
  })
}

/** Runs the task now; the answer is the operation. */
export const useRunSchedule = () =>
  useChangeOf<string, Operation>([KEY], (id) =>
    call(`/api/schedules/${id}/run`, { method: 'POST' }),
  )

/** The body that leaves a task unchanged, without the fields that the server adds. */
export const bodyOf = ({
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

/** Only one of action and workflow is sent. */
const withoutNulls = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
