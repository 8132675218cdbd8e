// Examples of requests about packs, links, products and reviews.
import { IDS, PRODUCT, type Examples } from './example.ts'

const pack = { id: IDS.pack }
const link = { id: IDS.link }
const review = { id: IDS.review }
const delivery = { id: IDS.delivery }

export const packExamples: Examples = {
  'get /api/packs': { query: { search: 'summer', limit: '20' }, status: 200 },
  'post /api/packs': {
    body: { name: 'Summer bundle', products: [{ product_id: PRODUCT }] },
    status: 201,
  },
  'get /api/packs/{id}': { params: pack, status: 200 },
  'patch /api/packs/{id}': {
    params: pack,
    body: { name: 'Winter bundle', products: [{ product_id: PRODUCT, variant_id: null }] },
    status: 200,
  },
  'put /api/packs/{id}/order': {
    params: pack,
    body: { file_ids: [IDS.second_file, IDS.file] },
    status: 200,
  },
  'delete /api/packs/{id}': { params: pack, status: 204 },
}

export const linkExamples: Examples = {
  'post /api/links': {
    body: {
      file_ids: [IDS.file, IDS.second_file],
      expiry_days: 30,
      download_limit: 3,
      email: 'buyer@example.com',
      per_file: [{ file_id: IDS.second_file, expiry_days: null }],
    },
    status: 201,
  },
  'get /api/links': { query: { file_id: IDS.file, status: 'active' }, status: 200 },
  'get /api/links/export.csv': { query: { file_id: IDS.file }, status: 200 },
  'post /api/links/revoke': { body: { link_ids: [IDS.link] }, status: 200 },
  'post /api/links/email': { body: { link_ids: [IDS.link] }, status: 200 },
  'post /api/links/{id}/revoke': { params: link, status: 200 },
  'post /api/links/{id}/extend': { params: link, body: { expiry_days: 30 }, status: 200 },
  'post /api/links/{id}/reset': { params: link, status: 200 },
}

export const deliveryExamples: Examples = {
  'get /api/deliveries': { query: { email: 'buyer@example.com', status: 'ready' }, status: 200 },
  'get /api/deliveries/{id}': { params: delivery, status: 200 },
  'patch /api/deliveries/{id}': {
    params: delivery,
    body: { expiry_days: 30, more_downloads: 3 },
    status: 200,
  },
  'post /api/deliveries/{id}/resend': { params: delivery, status: 202 },
  'post /api/deliveries/{id}/revoke': { params: delivery, status: 200 },
  'post /api/deliveries/{id}/hold': { params: delivery, status: 200 },
  'post /api/deliveries/{id}/release': { params: delivery, status: 200 },
}

export const productExamples: Examples = {
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
