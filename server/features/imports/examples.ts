// Examples of the requests, which the API's document shows and a test sends.
import { type Examples } from '../../http/example.ts'

export const importsExamples: Examples = {
  'get /api/channels': { status: 200 },
}
