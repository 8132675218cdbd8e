// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const activityExamples: Examples = {
  'get /api/activity': { status: 200 },
  'get /api/links/{id}/openings': { params: { id: IDS.link }, status: 200 },
  'get /api/files/{id}/holders': { params: { id: IDS.file }, query: { limit: '20' }, status: 200 },
  'get /api/files/{id}/history': { params: { id: IDS.file }, query: { limit: '20' }, status: 200 },
}
