// Examples of the requests, which the API's document shows and a test sends.
import type { Examples } from '../../http/example.ts'

export const homeExamples: Examples = {
  'get /api/attention': { status: 200 },
  'get /api/stats': { query: { metric: 'downloads', days: '30' }, status: 200 },
  'get /api/home/figures': { query: { days: '30' }, status: 200 },
}
