// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const noticesExamples: Examples = {
  'get /api/notices': { query: { limit: '20' }, status: 200 },
  'post /api/notices/read': { body: { ids: [IDS.notice] }, status: 200 },
}
