// Examples of the requests, which the API's document shows and a test sends.
import { type Examples } from '../../http/example.ts'

export const activityExamples: Examples = {
  'get /api/activity': { status: 200 },
}
