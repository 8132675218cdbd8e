// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

const workflow = { id: IDS.workflow }
const text = `stevedore: workflow/1
name: Mark guides
when:
  - { event: file.imported, collect: 1m }
which: { type: [pdf], tags_none: [marked], larger_than: 1MB }
do:
  - tag-files: { mode: add, tags: [marked] }
  - update-settings: { expiry_days: 90 }
    only: { mapped: true }
`

export const configurationExamples: Examples = {
  'get /api/workflows/{id}.yaml': { params: workflow, status: 200 },
  'get /api/workflows/{id}.json': { params: workflow, status: 200 },
  'put /api/workflows/by-name/{name}': {
    params: { name: 'Mark guides' },
    query: { dry_run: 'true' },
    content: { type: 'application/yaml', text },
    status: 200,
  },
  'get /api/configuration': { query: { kind: 'workflow' }, status: 200 },
  'post /api/configuration': {
    query: { dry_run: 'true' },
    body: { documents: [{ file: 'workflows/mark-guides.yaml', text }] },
    status: 200,
  },
}
