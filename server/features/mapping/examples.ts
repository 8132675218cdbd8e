// Examples of the requests, which the API's document shows and a test sends.
import { IDS, PRODUCT, type Examples } from '../../http/example.ts'

const review = { id: IDS.review }
const rule = { id: IDS.rule }

export const mappingExamples: Examples = {
  'get /api/products': { query: { search: 'guide', limit: '10' }, status: 200 },
  'get /api/products/mirror': { status: 200 },
  'post /api/products/refresh': { status: 202 },
  'get /api/mapping-rules': { status: 200 },
  'get /api/mapping-rules/count': { query: { pattern: 'WS-*' }, status: 200 },
  'post /api/mapping-rules': {
    body: { pattern: '*_worksheet', sku_template: 'WS-{1}' },
    status: 201,
  },
  'get /api/mapping-rules/{id}': { params: rule, status: 200 },
  'patch /api/mapping-rules/{id}': { params: rule, body: { pattern: 'WSP-*' }, status: 200 },
  'delete /api/mapping-rules/{id}': { params: rule, status: 204 },
  'post /api/mapping-rules/{id}/apply': { params: rule, status: 202 },
  'get /api/reviews': { query: { status: 'open' }, status: 200 },
  'get /api/reviews/groups': { query: { limit: '25' }, status: 200 },
  'post /api/reviews/reopen': { body: { ids: [IDS.review] }, status: 200 },
  'get /api/reviews/accept': { query: { above: '0.9' }, status: 200 },
  'post /api/reviews/accept': { body: { above: 0.9 }, status: 202 },
  'get /api/reviews/{id}': { params: review, status: 200 },
  'post /api/reviews/{id}/accept': { params: review, body: { product_id: PRODUCT }, status: 202 },
  'post /api/reviews/{id}/accept-alike': {
    params: review,
    body: { product_id: PRODUCT },
    status: 202,
  },
  'post /api/reviews/{id}/reject-alike': { params: review, status: 200 },
  'post /api/reviews/{id}/reject': { params: review, status: 200 },
}
