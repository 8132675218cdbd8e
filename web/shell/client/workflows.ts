// The merchant's workflows and the plugins for their steps: types and calls.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { serverText } from '../messages/server-templates.ts'
import { translated } from '../messages/t.ts'
import { call } from './client.ts'
import { edit, type KnownTag } from './edits.ts'
import { type FileFilter, type Page, type Schemas } from './types.ts'

/** The conditions on a file for a step to apply; every given one must hold. */
export type Condition = Pick<
  FileFilter,
  'search' | 'type' | 'tags' | 'mapped' | 'larger_than' | 'smaller_than'
>

export type WorkflowKind = Schemas['Workflow']['kind']
export type OnFailure = NonNullable<Step['on_failure']>

type Step = Schemas['Workflow']['steps'][number]

interface WorkflowStep extends Omit<Step, 'when'> {
  when?: Condition
}

/** A step as it is sent; the server creates the id of a new one. */
export type StepBody = Pick<WorkflowStep, 'plugin' | 'when' | 'on_failure'> &
  Partial<Pick<WorkflowStep, 'id' | 'options'>>

export type WorkflowBody = Pick<Schemas['WorkflowRequest'], 'name' | 'kind'> &
  Partial<Pick<Schemas['WorkflowRequest'], 'parallel' | 'channel'>> & { steps: StepBody[] }

export interface Workflow extends Omit<Schemas['Workflow'], 'steps'> {
  steps: WorkflowStep[]
}

/** A problem of one part of a form; `param` is its place in the body: `steps[2].options.tags`. */
export interface Objection {
  param: string
  message: string
}

export type WorkflowCheck = Schemas['WorkflowCheck']

/** The part of JSON Schema that describes a plugin's options. */
export interface JsonSchema {
  type?: string
  title?: string
  description?: string
  /** The widget, if the type does not determine one. */
  widget?: string
  /** Labels of the values, in their order. */
  choices?: Readonly<Record<string, string>>
  /** By value: help below its label. */
  hints?: Readonly<Record<string, string>>
  /** The label of "not given". */
  absent?: string
  /** 0.3 is shown as 30 %. */
  percent?: boolean
  /** The initial value of a dialog's field without a default. */
  start?: unknown
  placeholder?: string
  suffix?: string
  /** The message if it is required and missing. */
  missing?: string
  /** The problem if it is empty while other options have these values. */
  needed?: { when: Readonly<Record<string, unknown>>; text: string }
  /** The question before the action runs with one of these values; messages with the facts. */
  confirm?: { when: readonly unknown[]; text: string; button: string }
  /** For a file: the offered extensions, and what such files are called. */
  files?: { extensions: readonly string[]; one: string; many: string }
  /** A secret: not kept in history. */
  sensitive?: boolean
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  minProperties?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
  anyOf?: readonly JsonSchema[]
}

const KEY = ['workflows']

/** The workflow with the server's texts translated. */
const inLanguage = (workflow: Workflow): Workflow => ({
  ...workflow,
  name: workflow.built_in ? translated(workflow.name) : workflow.name,
  steps: workflow.steps.map((step) => ({
    ...step,
    title: translated(step.title),
    summary: serverText(step.summary),
  })),
})

export const useWorkflows = () =>
  useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const list = await call<Page<Workflow>>('/api/workflows', { signal })
      return { ...list, data: list.data.map(inLanguage) }
    },
  })

export const useWorkflow = (id: string | null) =>
  useQuery({
    queryKey: ['workflow', id],
    queryFn: async ({ signal }) =>
      inLanguage(await call<Workflow>(`/api/workflows/${id}`, { signal })),
    enabled: id !== null,
    // A form is filled once: a later refetch must not change it.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** The server's check of a workflow that is being edited. */
export const useWorkflowCheck = (body: WorkflowBody, enabled = true) =>
  useQuery({
    queryKey: ['workflow-check', body],
    queryFn: ({ signal }) =>
      call<WorkflowCheck>('/api/workflows/check', { method: 'POST', body, signal }),
    // The last answer stays until the next one arrives, so that nothing flickers while a person
    // types.
    placeholderData: (previous) => previous,
    staleTime: Infinity,
    gcTime: 10_000,
    enabled,
  })

/** Creates a workflow, or replaces the one with this id. */
export function useSaveWorkflow(id: string | null, known: KnownTag) {
  const client = useQueryClient()
  return useMutation<Workflow, Error, WorkflowBody>({
    mutationFn: (body) =>
      id === null
        ? call('/api/workflows', { method: 'POST', body })
        : edit(`/api/workflows/${id}`, 'PUT', body, known),
    onSuccess: (saved) => {
      client.setQueryData(['workflow', saved.id], saved)
      return client.invalidateQueries({ queryKey: KEY })
    },
  })
}

export function useDeleteWorkflow() {
  const client = useQueryClient()
  return useMutation<void, Error, string>({
    mutationFn: (id) => call(`/api/workflows/${id}`, { method: 'DELETE' }),
    onSuccess: (_nothing, id) => {
      client.removeQueries({ queryKey: ['workflow', id] })
      return client.invalidateQueries({ queryKey: KEY })
    },
  })
}
