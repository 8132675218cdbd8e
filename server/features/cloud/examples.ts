// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const cloudExamples: Examples = {
  'get /api/cloud': { status: 200 },
  'get /api/connections': { status: 200 },
  // The sample folder takes no sign-in.
  'post /api/connections': {
    body: { provider: 'demo', frequency_hours: 6, include: ['*.pdf'] },
    status: 201,
  },
  'get /api/connections/{id}': { params: { id: IDS.connection }, status: 200 },
  'patch /api/connections/{id}': {
    params: { id: IDS.connection },
    body: { frequency_hours: 24, deletions: 'keep' },
    status: 200,
  },
  'delete /api/connections/{id}': { params: { id: IDS.connection }, status: 204 },
  'get /api/connections/{id}/folders': {
    params: { id: IDS.connection },
    query: { path: '' },
    status: 200,
  },
  'get /api/connections/{id}/syncs': { params: { id: IDS.connection }, status: 200 },
  'get /api/connections/{id}/rejections': { params: { id: IDS.connection }, status: 200 },
  'post /api/connections/{id}/sync': {
    params: { id: IDS.connection },
    body: { dry_run: true },
    status: 202,
  },
  'post /api/connections/{id}/authorize': { params: { id: IDS.connection }, status: 409 },
  'post /api/connections/{id}/authorized': {
    params: { id: IDS.connection },
    body: { code: '4/0AbCd', state: 'x1Y2z3' },
    status: 409,
  },
}
