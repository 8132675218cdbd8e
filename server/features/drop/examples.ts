// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const dropExamples: Examples = {
  'get /api/drop': { status: 200 },
  'patch /api/drop': { body: { schedule: 'realtime', tls_required: true }, status: 200 },
  'get /api/drop/accounts': { status: 200 },
  'get /api/drop-account': { query: { account: IDS.drop_account }, status: 200 },
  'post /api/drop-account': { body: { allowed_addresses: ['203.0.113.7'] }, status: 201 },
  'post /api/drop/accounts': {
    body: { name: 'Warehouse', allowed_addresses: ['203.0.113.0/24', '2001:db8::/32'] },
    status: 201,
  },
  'get /api/drop/accounts/{id}': { params: { id: IDS.drop_account }, status: 200 },
  'patch /api/drop/accounts/{id}': {
    params: { id: IDS.drop_account },
    body: { enabled: false },
    status: 200,
  },
  'post /api/drop/accounts/{id}/password': { params: { id: IDS.drop_account }, status: 200 },
  'delete /api/drop/accounts/{id}': { params: { id: IDS.drop_account }, status: 204 },
  'get /api/drop/files': { query: { state: 'waiting' }, status: 200 },
  'post /api/drop/import': {
    query: { file_id: IDS.dropped_file },
    body: { dry_run: true },
    status: 202,
  },
  'post /api/drop/files/{id}/retry': { params: { id: IDS.failed_drop }, status: 200 },
  'delete /api/drop/files/{id}': { params: { id: IDS.dropped_file }, status: 204 },
  'get /api/drop/connections': { status: 200 },
}
