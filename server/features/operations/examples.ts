// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

const operation = { id: IDS.operation }

export const operationsExamples: Examples = {
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
  'post /api/workflows/try': {
    body: {
      workflow: {
        name: 'Tidy up',
        kind: 'bulk',
        steps: [{ plugin: 'tag-files', options: { mode: 'add', tags: ['checked'] } }],
      },
      file_ids: [IDS.file],
    },
    status: 200,
  },
  'get /api/operations/{id}': { params: operation, status: 200 },
  'get /api/operations/{id}/items': {
    params: operation,
    query: { status: 'failed,skipped' },
    status: 200,
  },
  'get /api/operations/{id}/steps': { params: operation, status: 200 },
  'get /api/operations/{id}/log.csv': { params: operation, status: 200 },
  'get /api/operations/{id}/log.json': { params: operation, status: 200 },
  'get /api/operations/{id}/events': { params: operation, status: 200 },
  'get /api/operations/{id}/artifact': { params: { id: IDS.export }, status: 200 },
  'post /api/operations/{id}/pause': { params: { id: IDS.running_operation }, status: 200 },
  'post /api/operations/{id}/resume': { params: { id: IDS.paused_operation }, status: 200 },
  'post /api/operations/{id}/cancel': { params: { id: IDS.running_operation }, status: 200 },
  'get /api/operations/{id}/retry': { params: { id: IDS.failed_operation }, status: 200 },
  'post /api/operations/{id}/retry': {
    params: { id: IDS.failed_operation },
    body: { workflow: 'as_started' },
    status: 200,
  },
  'post /api/operations/{id}/confirm': { params: { id: IDS.preview }, status: 200 },
  'post /api/operations/{id}/undo': { params: operation, body: { dry_run: true }, status: 202 },
  'post /api/files/bulk-delete': {
    body: { file_ids: [IDS.file, IDS.second_file], remove_mappings: false, backup_first: true },
    status: 200,
  },
  'put /api/files/bulk-update': {
    body: {
      file_ids: [IDS.file],
      updates: { expiry_days: 30, download_limit: null, tags: ['sale'], tags_mode: 'add' },
    },
    status: 200,
  },
}
