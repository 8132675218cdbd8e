// Examples of the requests, which the API's document shows and a test sends.
import { IDS, SOURCE, type Examples } from '../../http/example.ts'

const csv = { id: IDS.csv }
const checked = { id: IDS.checked_csv }

export const csvExamples: Examples = {
  'post /api/csv': {
    query: { filename: 'spring.csv' },
    content: {
      type: 'text/csv',
      text: `filename,file_url,tags\r\nguide.pdf,${SOURCE},"guide,2026"\r\n`,
    },
    status: 201,
  },
  'get /api/csv': { status: 200 },
  'get /api/csv/{id}': { params: csv, status: 200 },
  'delete /api/csv/{id}': { params: csv, status: 204 },
  'put /api/csv/{id}/encoding': {
    params: csv,
    body: { encoding: 'windows-1252' },
    status: 200,
  },
  'put /api/csv/{id}/header': { params: csv, body: { row: 1 }, status: 200 },
  'put /api/csv/{id}/sheet': { params: csv, body: { sheet: 'Files' }, status: 422 },
  'put /api/csv/{id}/columns': {
    params: csv,
    body: {
      mapping: { filename: 'filename', file_url: 'file_url', tags: 'tags' },
      save_as: 'Supplier list',
    },
    status: 200,
  },
  'post /api/csv/{id}/check': {
    params: csv,
    body: { probe: false, on_conflict: 'rename' },
    status: 202,
  },
  'post /api/csv/{id}/stop': { params: csv, status: 200 },
  'get /api/csv/{id}/problems': { params: checked, query: { severity: 'error' }, status: 200 },
  'get /api/csv/{id}/errors.csv': { params: checked, status: 200 },
  'get /api/csv/{id}/problem-groups': { params: checked, status: 200 },
  'get /api/csv/{id}/rows': { params: checked, query: { only: 'left_out' }, status: 200 },
  'patch /api/csv/{id}/rows': {
    params: checked,
    body: { rows: [{ row: 3, values: { file_url: SOURCE } }] },
    status: 200,
  },
  'post /api/csv/{id}/fixes': {
    params: checked,
    body: {
      group: '0123456789abcdef0123456789abcdef',
      fix: { type: 'prefix', text: 'https://' },
    },
    status: 200,
  },
  'post /api/csv/{id}/undo': { params: checked, status: 409 },
  'post /api/csv/{id}/recheck': { params: checked, status: 202 },
  'get /api/csv/{id}/corrected.csv': { params: checked, status: 200 },
  'post /api/csv/{id}/start': { params: checked, body: { only_valid: true }, status: 202 },
  'get /api/csv/mappings': { status: 200 },
  'post /api/csv/mappings': {
    body: {
      name: 'Supplier list',
      headers: ['Name', 'Link'],
      mapping: { filename: 'Name', file_url: 'Link' },
    },
    status: 201,
  },
  'delete /api/csv/mappings/{id}': { params: { id: IDS.columns }, status: 204 },
}
