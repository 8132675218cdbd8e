// Examples of the requests, which the API's document shows and a test sends.
import type { Examples } from '../../http/example.ts'

export const changeLogExamples: Examples = {
  'get /api/change-log': { query: { kind: 'workflow', limit: '20' }, status: 200 },
  'get /api/change-log/export.csv': { status: 200 },
}
