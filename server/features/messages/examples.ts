// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const messagesExamples: Examples = {
  'get /api/messages': { query: { kind: 'email', status: 'failed' }, status: 200 },
  'get /api/messages/{id}': { params: { id: IDS.message }, status: 200 },
  'post /api/messages/{id}/send': { params: { id: IDS.message }, status: 202 },
  'get /api/files/{id}/buyers': { params: { id: IDS.file }, status: 200 },
  'get /api/operations/{id}/mails': { params: { id: IDS.operation }, status: 200 },
  'get /api/webhooks/secret': { status: 200 },
}
