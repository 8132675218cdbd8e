// Examples of the requests, which the API's document shows and a test sends.
import { IDS, PRODUCT, type Examples } from '../../http/example.ts'

const review = { id: IDS.review }

export const mappingExamples: Examples = {
  'get /api/products': { query: { search: 'guide', limit: '10' }, status: 200 },
  'get /api/products/mirror': { status: 200 },
  'post /api/products/refresh': { status: 202 },
  'get /api/reviews': { query: { status: 'open' }, status: 200 },
  'get /api/reviews/accept': { query: { above: '0.9' }, status: 200 },
  'post /api/reviews/accept': { body: { above: 0.9 }, status: 202 },
  'get /api/reviews/{id}': { params: review, status: 200 },
  'post /api/reviews/{id}/accept': { params: review, body: { product_id: PRODUCT }, status: 202 },
  'post /api/reviews/{id}/reject': { params: review, status: 200 },
}
