// Examples of requests about operations, workflows and schedules.
import { IDS, type Examples } from './example.ts'

const operation = { id: IDS.operation }
const workflow = { id: IDS.workflow }
const schedule = { id: IDS.schedule }

const workflowBody = {
  name: 'Tidy up',
  kind: 'bulk',
  steps: [
    { plugin: 'tag-files', options: { mode: 'add', tags: ['checked'] }, when: { type: ['pdf'] } },
    { plugin: 'update-settings', options: { expiry_days: 90 } },
  ],
}
const scheduleBody = {
  name: 'Monthly tidying',
  cron: '0 2 1 * *',
  action: 'delete-files',
  filter: { older_than_days: 365, mapped: false, not_downloaded_for_days: 180 },
  cap: 100,
}

export const operationExamples: Examples = {
  'get /api/jobs/{id}': { params: { id: IDS.import }, status: 200 },
  'get /api/operations': { query: { kind: 'bulk', status: 'success', limit: '20' }, status: 200 },
  'post /api/operations': {
    body: {
      action: 'tag-files',
      options: { mode: 'add', tags: ['summer'] },
      select: { filter: { type: ['pdf'], mapped: true } },
      dry_run: true,
    },
    status: 202,
  },
  'get /api/operations/{id}': { params: operation, status: 200 },
  'get /api/operations/{id}/items': {
    params: operation,
    query: { status: 'failed,skipped' },
    status: 200,
  },
  'get /api/operations/{id}/log.csv': { params: operation, status: 200 },
  'get /api/operations/{id}/log.json': { params: operation, status: 200 },
  'get /api/operations/{id}/events': { params: operation, status: 200 },
  'get /api/operations/{id}/artifact': { params: { id: IDS.export }, status: 200 },
  'post /api/operations/{id}/pause': { params: { id: IDS.running_operation }, status: 200 },
  'post /api/operations/{id}/resume': { params: { id: IDS.paused_operation }, status: 200 },
  'post /api/operations/{id}/cancel': { params: { id: IDS.running_operation }, status: 200 },
  'post /api/operations/{id}/retry': { params: { id: IDS.failed_operation }, status: 200 },
  'post /api/operations/{id}/confirm': { params: { id: IDS.preview }, status: 200 },
  'post /api/operations/{id}/undo': { params: operation, status: 202 },
}

export const workflowExamples: Examples = {
  'get /api/plugins': { status: 200 },
  'get /api/channels': { status: 200 },
  'get /api/workflows': { status: 200 },
  'post /api/workflows/check': { body: workflowBody, status: 200 },
  'post /api/workflows': { body: workflowBody, status: 201 },
  'get /api/workflows/{id}': { params: workflow, status: 200 },
  'put /api/workflows/{id}': {
    params: workflow,
    body: { ...workflowBody, name: 'Tidy up well' },
    status: 200,
  },
  'delete /api/workflows/{id}': { params: workflow, status: 204 },
  'get /api/schedules': { status: 200 },
  'get /api/schedules/templates': { status: 200 },
  'post /api/schedules/check': {
    body: { cron: '0 2 1 * *', time_zone: 'Europe/Berlin' },
    status: 200,
  },
  'post /api/schedules/match': {
    body: { filter: scheduleBody.filter, action: 'delete-files' },
    status: 200,
  },
  'post /api/schedules': { body: scheduleBody, status: 201 },
  'get /api/schedules/{id}': { params: schedule, status: 200 },
  'put /api/schedules/{id}': {
    params: schedule,
    body: { ...scheduleBody, enabled: false },
    status: 200,
  },
  'delete /api/schedules/{id}': { params: schedule, status: 204 },
  'post /api/schedules/{id}/run': { params: schedule, status: 202 },
}
