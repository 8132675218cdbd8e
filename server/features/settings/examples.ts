// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const settingsExamples: Examples = {
  'get /api/session': { status: 200 },
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
  'get /api/api-keys': { status: 200 },
  'post /api/api-keys': {
    body: { name: 'Storefront sync', scopes: ['files:read', 'links:write'], expires_in_days: 365 },
    status: 201,
  },
  'get /api/agency-key': {
    query: { code: 'agency_0d2f4Yk1rQ8sT6uVwXyZaA' },
    // No shop has this code.
    status: 404,
  },
  'post /api/api-keys/grants': {
    body: {
      code: 'agency_0d2f4Yk1rQ8sT6uVwXyZaA',
      scopes: ['files:read', 'operations:read'],
      expires_in_days: 365,
    },
    status: 422,
  },
  'get /api/shops': { status: 200 },
  'delete /api/api-keys/{id}': { params: { id: IDS.key }, status: 204 },
  'get /api/tag-templates': { status: 200 },
  'post /api/tag-templates': {
    body: { name: 'Summer sale', tags: ['summer', 'sale'] },
    status: 201,
  },
  'get /api/tag-templates/{id}': { params: { id: IDS.template }, status: 200 },
  'patch /api/tag-templates/{id}': {
    params: { id: IDS.template },
    body: { tags: ['summer', 'sale', '2026'] },
    status: 200,
  },
  'delete /api/tag-templates/{id}': { params: { id: IDS.template }, status: 204 },
}
