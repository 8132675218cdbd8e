// Examples of requests about the shop: settings, API keys, notices, messages, and who is signed in.
import { IDS, type Examples } from './example.ts'

export const shopExamples: Examples = {
  'get /api/session': { status: 200 },
  'get /api/activity': { status: 200 },
  'get /api/storefront': { status: 200 },
  'get /api/settings': { status: 200 },
  'patch /api/settings': {
    body: {
      expiry_days: 90,
      download_limit: null,
      recipients: ['owner@example.com'],
      time_zone: 'Europe/Berlin',
    },
    status: 200,
  },
  'get /api/api-keys': { status: 200 },
  'post /api/api-keys': {
    body: { name: 'Storefront sync', scopes: ['files:read', 'links:write'], expires_in_days: 365 },
    status: 201,
  },
  'delete /api/api-keys/{id}': { params: { id: IDS.key }, status: 204 },
  'get /api/notices': { query: { limit: '20' }, status: 200 },
  'post /api/notices/read': { body: { ids: [IDS.notice] }, status: 200 },
  'get /api/messages': { query: { kind: 'email', status: 'failed' }, status: 200 },
  'post /api/messages/{id}/send': { params: { id: IDS.message }, status: 202 },
  'get /api/drop': { status: 200 },
  'patch /api/drop': { body: { tls_required: true }, status: 200 },
  'get /api/drop/accounts': { status: 200 },
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
  'get /api/drop/connections': { status: 200 },
  'get /api/webhooks/secret': { status: 200 },
}
