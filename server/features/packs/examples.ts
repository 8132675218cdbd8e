// Examples of the requests, which the API's document shows and a test sends.
import { IDS, PRODUCT, type Examples } from '../../http/example.ts'

const pack = { id: IDS.pack }

export const packsExamples: Examples = {
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
  'post /api/packs/{id}/product': {
    params: pack,
    body: { title: 'Winter bundle', price: '24.00' },
    // No store answers for the shops of the examples.
    status: 503,
  },
  'put /api/packs/{id}/order': {
    params: pack,
    body: { file_ids: [IDS.second_file, IDS.file] },
    status: 200,
  },
  'delete /api/packs/{id}': { params: pack, status: 204 },
}
