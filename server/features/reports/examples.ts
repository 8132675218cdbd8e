// Examples of the requests, which the API's document shows and a test sends.
import { BUYER, PRODUCT, type Examples } from '../../http/example.ts'

export const reportsExamples: Examples = {
  'get /api/reports/downloads.csv': {
    query: { by: 'product,month', from: '2026-01-01', to: '2026-12-31' },
    status: 200,
  },
  'get /api/reports/downloads.json': { query: { by: 'file,buyer', email: BUYER }, status: 200 },
  'get /api/reports/deliveries.csv': { query: { by: 'month', status: 'ready' }, status: 200 },
  'get /api/reports/deliveries.json': { query: { by: 'buyer', product: PRODUCT }, status: 200 },
  'get /api/reports/refusals.csv': { query: { by: 'file', reason: 'expired' }, status: 200 },
  'get /api/reports/refusals.json': { query: { by: 'month', email: BUYER }, status: 200 },
  'get /api/reports/activations.csv': { query: { by: 'product', status: 'active' }, status: 200 },
  'get /api/reports/activations.json': { query: { by: 'month', product: PRODUCT }, status: 200 },
}
