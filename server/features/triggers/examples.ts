// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

const workflow = { id: IDS.workflow }

export const triggersExamples: Examples = {
  'post /api/triggers/{id}/address': { params: { id: IDS.trigger }, status: 200 },
  'post /api/workflows/{id}/resume': { params: workflow, status: 204 },
  'post /api/workflows/{id}/stop': { params: workflow, status: 200 },
  'post /api/operations/{id}/continue': { params: { id: IDS.operation }, status: 409 },
  'post /api/operations/{id}/answer': {
    params: { id: IDS.operation },
    body: { answer: 'approve' },
    status: 409,
  },
  'delete /api/operations/{id}/again': { params: { id: IDS.operation }, status: 409 },
  'delete /api/operations/{id}/wait': { params: { id: IDS.operation }, status: 409 },
}
