// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

const workflowBody = {
  name: 'Tidy up',
  kind: 'bulk',
  steps: [
    { plugin: 'tag-files', options: { mode: 'add', tags: ['checked'] }, when: { type: ['pdf'] } },
    { plugin: 'update-settings', options: { expiry_days: 90 } },
  ],
}
const workflow = { id: IDS.workflow }

export const workflowsExamples: Examples = {
  'get /api/plugins': { status: 200 },
  'get /api/workflows': { status: 200 },
  'post /api/workflows/check': { body: workflowBody, status: 200 },
  'post /api/workflows': { body: workflowBody, status: 201 },
  'get /api/workflows/{id}': { params: workflow, status: 200 },
  'put /api/workflows/{id}': {
    params: workflow,
    body: { ...workflowBody, name: 'Tidy up well' },
    status: 200,
  },
  'get /api/workflows/{id}/versions': { params: workflow, status: 200 },
  'get /api/workflows/{id}/versions/{version}': {
    params: { ...workflow, version: '1' },
    status: 200,
  },
  'post /api/workflows/{id}/restore': { params: workflow, body: { version: 1 }, status: 200 },
  'delete /api/workflows/{id}': { params: workflow, status: 204 },
}
