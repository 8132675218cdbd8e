// Workflows and schedules as documents.
import { ownValue } from '../../../plugins/contract/index.ts'
import { bodyOfRecord } from '../workflows/body.ts'
import type { WorkflowBody } from '../workflows/check.ts'
import { workflowDifferences } from '../workflows/difference.ts'
import {
  idsOf,
  mapWorkflow,
  namesOfIds,
  referencesOfBody,
  toldWorkflows,
} from '../workflows/names.ts'
import { workflowBody } from '../workflows/record.ts'
import {
  mapFilter,
  mapOptions,
  type Reference,
  type VisitReference,
} from '../workflows/references.ts'
import { isFields, type FieldValues } from './document-text.ts'
import {
  bodyProblems,
  documentContent,
  fieldDifferences,
  placed,
  plainKind,
  requireNone,
  rowsOfList,
  type DocumentContext,
  type DocumentKind,
  type StoredDocument,
  type StoredRecord,
} from './kind.ts'
import {
  completed,
  documentOfWorkflow,
  mapSizes,
  measured,
  withKnownIds,
  workflowComments,
  workflowOfDocument,
  withUnit,
} from './workflow-document.ts'

const asBody = (fields: FieldValues) => fields as unknown as WorkflowBody

export const recordOfWorkflow = (workflow: FieldValues): StoredRecord => ({
  id: String(workflow.id),
  name: String(workflow.name),
  body: bodyOfRecord(workflow) as unknown as FieldValues,
})

export const workflowKind: DocumentKind = {
  kind: 'workflow',
  place: 'workflows',
  single: false,
  edits: '/api/workflows/{id}',
  read: async ({ call }) =>
    (await rowsOfList(call, 'GET /api/workflows'))
      .filter(({ built_in }) => built_in === false)
      .map(recordOfWorkflow),
  documents: async ({ scope, plugins }, records) => {
    const told = await toldWorkflows(
      scope,
      records.map(({ body }) => asBody(body)),
      plugins,
    )
    return told.map(({ named }) => documentOfWorkflow(named))
  },
  comments: ({ body }) => workflowComments(asBody(body)),
  save: async ({ scope, call, plugins }, document, before) => {
    const { body: given, problems, placeOf } = workflowOfDocument(document)
    requireNone(problems)
    const named = asBody(given)
    const ids = await idsOf(scope, referencesOfBody(named, plugins))
    const mapped = mapWorkflow(named, plugins, ids.visit)
    const missing = new Set(ids.problems.map(({ param }) => param))
    const others = bodyProblems(workflowBody, mapped).filter(({ param }) => !missing.has(param))
    requireNone([...ids.problems, ...others], placeOf)
    const known = before && asBody(before.record.body)
    const body = withKnownIds(workflowBody.parse(mapped) as WorkflowBody, known)
    const id = before?.record.id ?? null
    await placed(
      id === null
        ? call('POST /api/workflows', { body })
        : call('PUT /api/workflows/{id}', { params: { id }, body }),
      placeOf,
    )
  },
  differences: (before, after, plugins) => {
    const told = ({ record, document }: StoredDocument) => ({
      body: asBody(record.body),
      // Of the document: it has names in place of ids.
      named: completed(workflowOfDocument(document).body),
    })
    return workflowDifferences(before && told(before), told(after), plugins)
  },
}

const BODY = ['name', 'enabled', 'cron', 'action', 'workflow', 'options', 'filter', 'notify', 'cap']
const USUAL: FieldValues = {
  enabled: true,
  notify: 'always',
  cap: 100,
  action: null,
  workflow: null,
}

export const scheduleKind = plainKind({
  kind: 'schedule',
  place: 'schedules',
  single: false,
  edits: '/api/schedules/{id}',
  read: async ({ call }) =>
    (await rowsOfList(call, 'GET /api/schedules')).map((schedule) => ({
      id: String(schedule.id),
      name: String(schedule.name),
      body: Object.fromEntries(BODY.map((field) => [field, ownValue(schedule, field)])),
    })),
  documents: async ({ scope, plugins }, records) => {
    const bodies = records.map(({ body }) => body)
    const names = await namesOfIds(
      scope,
      bodies.flatMap((body) => referencesOf(body, plugins)),
    )
    return bodies.map((body) => documentOfSchedule(mapSchedule(body, plugins, names)))
  },
  save: async ({ scope, call, plugins }, document, before) => {
    const { which, options = {}, ...given } = documentContent(document)
    const named: FieldValues = { ...given, options, filter: mapSizes(which ?? {}, measured) }
    const builtIn = new Set(
      (await rowsOfList(call, 'GET /api/workflows')).flatMap(({ id, built_in }) =>
        built_in === true ? [String(id)] : [],
      ),
    )
    const references = referencesOf(named, plugins)
    const ids = await idsOf(
      scope,
      references,
      ({ kind, id }) => kind === 'workflow' && builtIn.has(id),
    )
    requireNone(ids.problems, schedulePlace)
    const body = mapSchedule(named, plugins, ids.visit)
    const id = before?.record.id ?? null
    await placed(
      id === null
        ? call('POST /api/schedules', { body })
        : call('PUT /api/schedules/{id}', { params: { id }, body }),
      schedulePlace,
    )
  },
  differences: (before, after) => fieldDifferences(before?.document ?? null, after.document),
})

const schedulePlace = (param: string) => param.replace(/^filter\b/, 'which')

function documentOfSchedule({ options, filter, name, cron, ...others }: FieldValues): FieldValues {
  const rest = Object.entries(others).filter(([field, value]) => value !== ownValue(USUAL, field))
  const isGiven = (value: unknown) => isFields(value) && Object.keys(value).length > 0
  return {
    stevedore: 'schedule/1',
    name,
    cron,
    ...Object.fromEntries(rest),
    ...(isGiven(options) ? { options } : {}),
    ...(isGiven(filter) ? { which: mapSizes(filter, withUnit) } : {}),
  }
}

function mapSchedule(
  body: FieldValues,
  plugins: DocumentContext['plugins'],
  visit: VisitReference,
): FieldValues {
  const { workflow, options, filter, action } = body
  const plugin = plugins.find(({ id }) => id === action)
  return {
    ...body,
    ...(typeof workflow === 'string'
      ? { workflow: visit({ kind: 'workflow', id: workflow, param: 'workflow' }) }
      : {}),
    ...(plugin && isFields(options)
      ? { options: mapOptions(plugin.options, options, 'options', visit) }
      : {}),
    ...(isFields(filter) ? { filter: mapFilter(filter, 'filter', visit) } : {}),
  }
}

function referencesOf(body: FieldValues, plugins: DocumentContext['plugins']): Reference[] {
  const references: Reference[] = []
  mapSchedule(body, plugins, (reference) => {
    references.push(reference)
    return reference.id
  })
  return references
}
