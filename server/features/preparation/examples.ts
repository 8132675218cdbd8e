// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

const key = { id: IDS.licence_key }

export const preparationExamples: Examples = {
  'get /api/licence-lists': { status: 200 },
  'post /api/licence-lists': {
    body: {
      name: 'Editor, single seat',
      generate: { pattern: 'XXXXX-XXXXX-XXXXX', prefix: 'ED-', checksum: true },
      expiry_days: 365,
      activation_limit: 3,
      revoke_on_refund: true,
    },
    status: 201,
  },
  'get /api/licence-lists/{id}': { params: { id: IDS.licence_list }, status: 200 },
  'patch /api/licence-lists/{id}': {
    params: { id: IDS.licence_list },
    body: { activation_limit: 5, expiry_days: null },
    status: 200,
  },
  'post /api/licence-lists/{id}/keys': {
    params: { id: IDS.licence_list },
    content: { type: 'text/csv', text: 'licence key\nAAAA-BBBB-CCCC\nDDDD-EEEE-FFFF\n' },
    status: 200,
  },
  'delete /api/licence-lists/{id}': { params: { id: IDS.licence_list }, status: 204 },
  'get /api/licence-lists/{id}/keys': {
    params: { id: IDS.licence_list },
    query: { search: '#1001', status: 'active' },
    status: 200,
  },
  'post /api/licence-keys/{id}/revoke': { params: key, status: 200 },
  'post /api/licence-keys/{id}/restore': { params: key, status: 200 },
  'post /api/licence-keys/{id}/rotate': { params: key, status: 200 },
  'post /api/licence-keys/{id}/reset': { params: key, status: 200 },
  'post /api/licences/verify': {
    body: { key: 'ED-7KQ2M-XW4TR-9HBCNZ', instance: 'reading room' },
    status: 200,
  },
  'post /api/licences/activate': {
    body: { key: 'ED-7KQ2M-XW4TR-9HBCNZ', instance: 'reading room' },
    status: 200,
  },
  'post /api/licences/deactivate': {
    body: { key: 'ED-7KQ2M-XW4TR-9HBCNZ', instance: 'reading room' },
    status: 200,
  },
  'post /licences/verify': {
    body: { key: 'ED-7KQ2M-XW4TR-9HBCNZ', instance: 'reading room' },
    status: 200,
  },
  'post /licences/activate': {
    body: { key: 'ED-7KQ2M-XW4TR-9HBCNZ', instance: 'reading room' },
    status: 200,
  },
  'post /licences/deactivate': {
    body: { key: 'ED-7KQ2M-XW4TR-9HBCNZ', instance: 'reading room' },
    status: 200,
  },
}
