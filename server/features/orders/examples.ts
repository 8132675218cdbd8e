// Examples of the requests, which the API's document shows and a test sends.
import { IDS, PRODUCT, type Examples } from '../../http/example.ts'

const delivery = { id: IDS.delivery }

export const ordersExamples: Examples = {
  'get /api/deliveries': { query: { email: 'buyer@example.com', status: 'ready' }, status: 200 },
  'get /api/deliveries/{id}': { params: delivery, status: 200 },
  'patch /api/deliveries/{id}': {
    params: delivery,
    body: { expiry_days: 30, more_downloads: 3 },
    status: 200,
  },
  'post /api/deliveries/{id}/correct-address': {
    params: delivery,
    body: { email: 'ada@example.com' },
    status: 202,
  },
  'post /api/deliveries/{id}/resend': { params: delivery, status: 202 },
  'post /api/deliveries/{id}/revoke': { params: delivery, status: 200 },
  'post /api/deliveries/{id}/hold': { params: delivery, status: 200 },
  'post /api/deliveries/{id}/release': { params: delivery, status: 200 },
  // The shops of the test are not connected to the platform.
  'get /api/orders': { query: { order: '#1001' }, status: 503 },
  'post /api/orders/files': {
    body: { order: '#1001', file_ids: [IDS.file], download_limit: 5, email: true },
    status: 503,
  },
  'delete /api/deliveries/{id}/files/{file_id}': {
    params: { ...delivery, file_id: IDS.file },
    status: 200,
  },
  'get /api/orders/import': { status: 200 },
  'post /api/orders/import': { body: { mail: false, dry_run: true }, status: 202 },
  'get /api/new-files': { status: 200 },
  'post /api/new-files/dismiss': { body: { product_id: PRODUCT }, status: 204 },
  'get /api/new-files/products': { status: 200 },
  'put /api/new-files/products': {
    body: { product_id: PRODUCT, new_files: 'always' },
    status: 204,
  },
  'get /api/unfiled-products': { status: 200 },
  'post /api/unfiled-products/dismiss': { body: { product_id: PRODUCT }, status: 204 },
  'post /api/new-files/buyers': { body: { select: { file_ids: [IDS.file] } }, status: 200 },
}
