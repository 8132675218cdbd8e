// The merchant's workflows and the plugins for their steps: types and calls.
import { type ServerText } from '../messages/server-text.ts'
import { shownText } from '../messages/server-text.ts'
import { translated } from '../messages/t.ts'
import { useChangeOf } from './change.ts'
import { call, callForBytes } from './client.ts'
import { edit, type KnownTag } from './edits.ts'
import { type Answer } from './endpoints.ts'
import { useRead } from './reads.ts'
import { saveBytes } from './save.ts'
import { type Schemas, type Workflow, type WorkflowStep } from './types.ts'
import { showAnswer } from './show-answer.ts'

export type { Condition, JsonSchema, Workflow } from './types.ts'

export type Trigger = Schemas['Trigger']
/** What follows when runs end with failed files. */
export type IfNot = NonNullable<Workflow['if_not']>
export type ImportSource = Schemas['ImportSource']
export type WorkflowKind = Workflow['kind']
export type OnFailure = NonNullable<WorkflowStep['on_failure']>

/** A step as it is sent; the server creates the id of a new one. */
export type StepBody = Pick<
  WorkflowStep,
  'plugin' | 'when' | 'branch' | 'on_failure' | 'tries' | 'pause'
> &
  Partial<Pick<WorkflowStep, 'id' | 'options'>>

export type WorkflowBody = Omit<Schemas['WorkflowRequest'], 'steps'> & { steps: StepBody[] }

/** A problem of one part of a form; `param` is its place in the body: `steps[2].options.tags`. */
export interface Objection {
  param: string
  message: string
  message_text?: ServerText | undefined
}

export type WorkflowCheck = Schemas['WorkflowCheck']

const KEY = ['workflows']
const keyOfOne = (id: string | null) => ['workflow', id]

/** The workflow with the server's texts translated. */
const inLanguage = (workflow: Workflow): Workflow => ({
  ...workflow,
  name: workflow.built_in ? translated(workflow.name) : workflow.name,
  steps: workflow.steps.map((step) => ({
    ...step,
    title: translated(step.title),
    summary: shownText(step.summary_text),
  })),
})

const listInLanguage = (list: Answer<'GET /api/workflows'>) => ({
  ...list,
  data: list.data.map(inLanguage),
})

export const useWorkflows = () => useRead('GET /api/workflows', { select: listInLanguage })

export const useWorkflow = (id: string | null) =>
  useRead('GET /api/workflows/{id}', {
    path: { id },
    key: keyOfOne(id),
    select: inLanguage,
    // A form is filled once: a later refetch must not change it.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** The server's check of a workflow that is being edited. */
export const useWorkflowCheck = (body: WorkflowBody, enabled = true) =>
  useRead('POST /api/workflows/check', {
    body,
    // The last answer is kept so that nothing flickers while a person types.
    keep: true,
    staleTime: Infinity,
    gcTime: 10_000,
    enabled,
  })

/** Creates a workflow, or replaces the one with this id. */
export const useSaveWorkflow = (id: string | null, known: KnownTag) =>
  useChangeOf(
    [KEY],
    (body: WorkflowBody) =>
      id === null
        ? call('POST /api/workflows', { body })
        : edit('PUT /api/workflows/{id}', { path: { id }, body }, known),
    { show: (client, saved) => showAnswer(client, keyOfOne(saved.id), saved) },
  )

// Versions, and workflows as files.

export type WorkflowVersion = Schemas['WorkflowVersion']
export type WholeVersion = Schemas['WholeWorkflowVersion']
export type Difference = Schemas['Difference']
export type AppliedFile = Schemas['AppliedConfiguration']['data'][number]

export const useVersions = (id: string) =>
  useRead('GET /api/workflows/{id}/versions', { path: { id }, staleTime: 0 })

export const useVersion = (id: string, version: number) =>
  useRead('GET /api/workflows/{id}/versions/{version}', {
    path: { id, version: String(version) },
    staleTime: 0,
  })

export const useRestoreVersion = (id: string) =>
  useChangeOf(
    [KEY],
    (version: number) =>
      call('POST /api/workflows/{id}/restore', { path: { id }, body: { version } }),
    { show: (client, saved) => showAnswer(client, keyOfOne(saved.id), saved) },
  )

/** Saves a workflow on the merchant's computer. Throws `ApiError`. */
export async function saveWorkflowFile({ id, name }: Pick<Workflow, 'id' | 'name'>): Promise<void> {
  const file = name.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '') || 'workflow'
  saveBytes(await callForBytes(`/api/workflows/${id}.yaml`), `${file}.yaml`)
}

export interface WorkflowFile {
  file: string
  text: string
}

/** What a file would change; null: none is chosen. */
export const useComparedFile = (chosen: WorkflowFile | null) =>
  useRead('POST /api/configuration', {
    query: { dry_run: true },
    body: chosen && { documents: [chosen] },
    gcTime: 0,
  })

export const useApplyFile = () =>
  useChangeOf([KEY], (document: WorkflowFile & { known: string | null }) =>
    call('POST /api/configuration', { body: { documents: [document] } }),
  )

/** Gives a hook a new address, which only this answer shows. */
export const useHookAddress = () =>
  useChangeOf([KEY], (id: string) => call('POST /api/triggers/{id}/address', { path: { id } }))

/** Resumes the triggers of a workflow that have paused. */
export const useResumeWorkflow = () =>
  useChangeOf(
    (id: string) => [KEY, keyOfOne(id)],
    (id: string) => call('POST /api/workflows/{id}/resume', { path: { id } }),
  )

/** Cancels the runs of a workflow. */
export const useStopWorkflow = () =>
  useChangeOf(
    (id: string) => [KEY, keyOfOne(id)],
    (id: string) => call('POST /api/workflows/{id}/stop', { path: { id } }),
  )

export const useDeleteWorkflow = () =>
  useChangeOf([KEY], (id: string) => call('DELETE /api/workflows/{id}', { path: { id } }), {
    show: (client, _nothing, id) => client.removeQueries({ queryKey: keyOfOne(id) }),
  })
