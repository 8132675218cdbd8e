// Examples of the requests, which the API's document shows and a test sends.
import { BUYER as email, type Examples } from '../../http/example.ts'

export const libraryExamples: Examples = {
  'get /api/buyers': { query: { search: 'ada@' }, status: 200 },
  'get /api/buyers/detail': { query: { email }, status: 200 },
  'post /api/buyers/library': { body: { email }, status: 202 },
}
