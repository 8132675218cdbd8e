// The merchant's workflows and the plugins they are made of: what the API answers with, and the
// calls.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { translated } from '../messages/t.ts'
import { call } from './client.ts'
import { type FileFilter, type Page, type Schemas } from './types.ts'

/** What must hold of a file for a step to apply to it; every part given. */
export type Condition = Pick<
  FileFilter,
  'search' | 'type' | 'tags' | 'mapped' | 'larger_than' | 'smaller_than'
>

export type WorkflowKind = Schemas['Workflow']['kind']
export type OnFailure = NonNullable<Step['on_failure']>

type Step = Schemas['Workflow']['steps'][number]

export interface WorkflowStep extends Omit<Step, 'when'> {
  when?: Condition
}

/** A step as it is sent; the server makes the id of a new one. */
export type StepBody = Pick<WorkflowStep, 'plugin' | 'when' | 'on_failure'> &
  Partial<Pick<WorkflowStep, 'id' | 'options'>>

export type WorkflowBody = Pick<Schemas['WorkflowRequest'], 'name' | 'kind'> &
  Partial<Pick<Schemas['WorkflowRequest'], 'parallel' | 'channel'>> & { steps: StepBody[] }

export interface Workflow extends Omit<Schemas['Workflow'], 'steps'> {
  steps: WorkflowStep[]
}

/**
 * What is wrong with one part of a form; `param` is its place in the body: `steps[2].options.tags`.
 */
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
  /** How it wants to be drawn, where its type does not say enough. */
  widget?: string
  /** What the values of a choice are called, in their order. */
  choices?: Readonly<Record<string, string>>
  /** By value: a line below its label. */
  hints?: Readonly<Record<string, string>>
  /** What it is called where it is left out. */
  absent?: string
  /** 0.3 is shown as 30 %. */
  percent?: boolean
  /** What a dialog's field begins with, where there is no default. */
  start?: unknown
  placeholder?: string
  suffix?: string
  /** What is said where it must be given and is not. */
  missing?: string
  /** It is asked once more whether it shall be empty, where the other options are these. */
  confirm_empty?: { when: Readonly<Record<string, unknown>>; text: string; button: string }
  /** Of a file: the extensions that are offered, and what they are called. */
  files?: { extensions: readonly string[]; one: string; many: string }
  /** It is a secret: it is kept in no history. */
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

/** Its steps, and the name that the server gave it, in the page's language. */
const inLanguage = (workflow: Workflow): Workflow => ({
  ...workflow,
  name: workflow.built_in ? translated(workflow.name) : workflow.name,
  steps: workflow.steps.map((step) => ({ ...step, title: translated(step.title) })),
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
    // A form is filled from it once: what changes behind its back must not change it.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** What the server says of a workflow that is still being written. */
export const useWorkflowCheck = (body: WorkflowBody, enabled = true) =>
  useQuery({
    queryKey: ['workflow-check', body],
    queryFn: ({ signal }) =>
      call<WorkflowCheck>('/api/workflows/check', { method: 'POST', body, signal }),
    // The last answer stays until the next one is here, so that nothing flickers as one types.
    placeholderData: (previous) => previous,
    staleTime: Infinity,
    gcTime: 10_000,
    enabled,
  })

/** Makes a workflow, or with an id replaces that one. */
export function useSaveWorkflow(id: string | null) {
  const client = useQueryClient()
  return useMutation<Workflow, Error, WorkflowBody>({
    mutationFn: (body) =>
      id === null
        ? call('/api/workflows', { method: 'POST', body })
        : call(`/api/workflows/${id}`, { method: 'PUT', body }),
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
