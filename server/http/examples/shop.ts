// Examples of requests about the shop: settings, API keys, notices, messages, and who is signed in.
import { IDS, type Examples } from './example.ts'

export const shopExamples: Examples = {
  'get /api/session': { status: 200 },
  'get /api/activity': { status: 200 },
  'get /api/plan': { status: 200 },
  'post /api/plan': { body: { plan: 'studio' }, status: 409 },
  'post /api/web-vitals': {
    body: { path: '/files', metrics: [{ name: 'LCP', value: 640 }] },
    status: 204,
  },
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
  'get /api/settings/buyer-page': { status: 200 },
  'patch /api/settings/buyer-page': {
    body: {
      accent: '#0a6b5d',
      language: 'de',
      texts: { en: { intro: 'Thank you for your order!', footer: 'Questions? help@example.com' } },
    },
    status: 200,
  },
  'put /api/settings/buyer-page/logo': {
    body: {
      image:
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    },
    status: 200,
  },
  'delete /api/settings/buyer-page/logo': { status: 200 },
  'post /api/settings/buyer-page/preview': {
    body: { accent: '#b5179e', locale: 'fr', page: 'files' },
    status: 200,
  },
  'get /api/api-keys': { status: 200 },
  'post /api/api-keys': {
    body: { name: 'Storefront sync', scopes: ['files:read', 'links:write'], expires_in_days: 365 },
    status: 201,
  },
  'delete /api/api-keys/{id}': { params: { id: IDS.key }, status: 204 },
  'get /api/licence-lists': { status: 200 },
  'post /api/licence-lists': { body: { name: 'Editor, single seat' }, status: 201 },
  'get /api/licence-lists/{id}': { params: { id: IDS.licence_list }, status: 200 },
  'post /api/licence-lists/{id}/keys': {
    params: { id: IDS.licence_list },
    content: { type: 'text/csv', text: 'licence key\nAAAA-BBBB-CCCC\nDDDD-EEEE-FFFF\n' },
    status: 200,
  },
  'delete /api/licence-lists/{id}': { params: { id: IDS.licence_list }, status: 204 },
  'get /api/customer-data': { status: 200 },
  'get /api/customer-data/{id}': { params: { id: IDS.customer_data }, status: 200 },
  'delete /api/customer-data/{id}': { params: { id: IDS.customer_data }, status: 204 },
  'get /api/notices': { query: { limit: '20' }, status: 200 },
  'post /api/notices/read': { body: { ids: [IDS.notice] }, status: 200 },
  'get /api/messages': { query: { kind: 'email', status: 'failed' }, status: 200 },
  'post /api/messages/{id}/send': { params: { id: IDS.message }, status: 202 },
  'get /api/cloud': { status: 200 },
  'get /api/connections': { status: 200 },
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
  // The sample folder takes no sign-in.
  'post /api/connections/{id}/authorize': { params: { id: IDS.connection }, status: 409 },
  'post /api/connections/{id}/authorized': {
    params: { id: IDS.connection },
    body: { code: '4/0AbCd', state: 'x1Y2z3' },
    status: 409,
  },
  'get /api/drop': { status: 200 },
  'patch /api/drop': { body: { schedule: 'realtime', tls_required: true }, status: 200 },
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
  'post /api/drop/import': {
    query: { file_id: IDS.dropped_file },
    body: { dry_run: true },
    status: 202,
  },
  'post /api/drop/files/{id}/retry': { params: { id: IDS.failed_drop }, status: 200 },
  'delete /api/drop/files/{id}': { params: { id: IDS.dropped_file }, status: 204 },
  'get /api/drop/connections': { status: 200 },
  'get /api/webhooks/secret': { status: 200 },
  'get /api/webhooks': { status: 200 },
  'post /api/webhooks': {
    body: {
      url: 'https://example.com/hooks/stevedore',
      description: 'Bookkeeping',
      events: ['operation.finished', 'link.exhausted'],
    },
    status: 201,
  },
  'get /api/webhooks/{id}': { params: { id: IDS.webhook }, status: 200 },
  'patch /api/webhooks/{id}': {
    params: { id: IDS.webhook },
    body: { events: [], enabled: true },
    status: 200,
  },
  'delete /api/webhooks/{id}': { params: { id: IDS.webhook }, status: 204 },
  'post /api/webhooks/{id}/rotate': {
    params: { id: IDS.webhook },
    body: { keep_hours: 24 },
    status: 200,
  },
  'post /api/webhooks/{id}/test': { params: { id: IDS.webhook }, status: 202 },
  'get /api/webhooks/{id}/deliveries': {
    params: { id: IDS.webhook },
    query: { status: 'failed', limit: '20' },
    status: 200,
  },
  'post /api/webhooks/{id}/deliveries/{message}/replay': {
    params: { id: IDS.webhook, message: IDS.webhook_message },
    status: 202,
  },
}
