// The merchant's workflows and the plugins they are made of: what the API answers with, and the calls.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from './client.ts'
import { type FileFilter, type OperationKind, type Page } from './types.ts'

/** What must hold of a file for a step to apply to it; every part given. */
export type Condition = Pick<FileFilter, 'search' | 'type' | 'tags' | 'mapped' | 'larger_than' | 'smaller_than'>

export type WorkflowKind = OperationKind
export type ImportChannel = 'api' | 'csv' | 'upload' | 'drop' | 'cloud'
export type OnFailure = 'drop' | 'keep' | 'stop'

export interface StepBody {
  id?: string
  plugin: string
  options?: Record<string, unknown>
  when?: Condition
  on_failure?: OnFailure
}

export interface WorkflowStep extends StepBody {
  id: string
  title: string
  summary: string
  options: Record<string, unknown>
}

export interface WorkflowBody {
  name: string
  kind: WorkflowKind
  /** How many batches may be worked on at once. */
  parallel?: number
  steps: StepBody[]
  channel?: ImportChannel | null
}

export interface Workflow extends Omit<WorkflowBody, 'steps' | 'channel' | 'parallel'> {
  id: string
  built_in: boolean
  parallel: number
  steps: WorkflowStep[]
  channel: ImportChannel | null
  /** Titles of the steps whose effect no undo takes back. */
  cannot_undo: string[]
  created_at: string | null
  updated_at: string | null
}

/** What is wrong with one part of a form; `param` is its place in the body: `steps[2].options.tags`. */
export interface Objection {
  param: string
  message: string
}

export interface WorkflowCheck {
  problems: Objection[]
  steps: { summary: string }[]
  cannot_undo: string[]
}

/** The part of JSON Schema that describes a plugin's options. */
export interface JsonSchema {
  type?: string
  title?: string
  description?: string
  /** How it wants to be drawn, where its type does not say enough. */
  widget?: string
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
  anyOf?: readonly JsonSchema[]
}

export interface Plugin {
  id: string
  kind: 'fetch' | 'validate' | 'optimize' | 'map' | 'act' | 'notify'
  title: string
  works_on: 'imports' | 'files' | 'trash' | 'all' | 'rows' | null
  scope: 'items' | 'operation'
  undo: 'fields' | 'none'
  /** What someone must be allowed to do who runs it, where that is more than changing files. */
  permission: 'files:read' | 'files:delete' | 'files:purge' | 'links:write' | null
  options: JsonSchema
  touches_bytes: boolean
}

const KEY = ['workflows']

export const useWorkflows = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call<Page<Workflow>>('/api/workflows', { signal }),
  })

export const useWorkflow = (id: string | null) =>
  useQuery({
    queryKey: ['workflow', id],
    queryFn: ({ signal }) => call<Workflow>(`/api/workflows/${id}`, { signal }),
    enabled: id !== null,
    // A form is filled from it once: what changes behind its back must not change it.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

export const usePlugins = () =>
  useQuery({
    queryKey: ['plugins'],
    queryFn: ({ signal }) => call<{ data: Plugin[] }>('/api/plugins', { signal }),
    staleTime: Infinity,
  })

/** What the server says of a workflow that is still being written. */
export const useWorkflowCheck = (body: WorkflowBody) =>
  useQuery({
    queryKey: ['workflow-check', body],
    queryFn: ({ signal }) => call<WorkflowCheck>('/api/workflows/check', { method: 'POST', body, signal }),
    // The last answer stays until the next one is here, so that nothing flickers as one types.
    placeholderData: (previous) => previous,
    staleTime: Infinity,
    gcTime: 10_000,
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
