// Examples of the requests, which the API's document shows and a test sends.
import { IDS, SOURCE, type Examples } from '../../http/example.ts'

const file = { id: IDS.file }

export const filesExamples: Examples = {
  'get /api/files': {
    query: { type: 'pdf', tags: 'summer,sale', mapped: 'false', sort: '-size_bytes', limit: '100' },
    status: 200,
  },
  'post /api/files/rename-preview': {
    body: {
      select: { filter: { type: ['pdf'] } },
      options: { mode: 'pattern', pattern: '{original}-{sequence}' },
    },
    status: 200,
  },
  'get /api/files/duplicates': { query: { limit: '20' }, status: 200 },
  'post /api/files/impact': {
    body: { select: { file_ids: [IDS.file, IDS.second_file] } },
    status: 200,
  },
  'get /api/files/{id}': { params: file, status: 200 },
  'get /api/files/{id}/preview': { params: { id: IDS.text_file }, status: 404 },
  'patch /api/files/{id}': {
    params: file,
    body: {
      filename: 'harbour-guide.pdf',
      tags: ['guide', '2026'],
      expiry_days: 90,
      download_limit: null,
      pack_id: IDS.pack,
    },
    status: 200,
  },
  'get /api/files/{id}/content': { params: file, status: 200 },
  'get /api/files/{id}/downloads': { params: file, query: { limit: '20' }, status: 200 },
  'post /api/files/{id}/public-address': { params: { id: IDS.public_file }, status: 200 },
  'get /api/files/{id}/versions': { params: file, status: 200 },
  'post /api/files/{id}/versions': { params: file, body: { url: SOURCE }, status: 200 },
  'post /api/files/{id}/versions/{n}/restore': { params: { ...file, n: '1' }, status: 200 },
  'get /api/files/{id}/versions/{n}/content': { params: { ...file, n: '1' }, status: 200 },
  'get /api/backups': { status: 200 },
  'delete /api/backups/{id}': { params: { id: IDS.backup }, status: 204 },
  'get /api/views': { status: 200 },
  'post /api/views': {
    body: {
      name: 'Large PDFs without a product',
      filter: { type: ['pdf'], mapped: false, larger_than: 10485760 },
      sort: '-size_bytes',
      columns: ['size', 'tags', 'uploaded'],
    },
    status: 201,
  },
  'get /api/views/{id}': { params: { id: IDS.saved_view }, status: 200 },
  'patch /api/views/{id}': {
    params: { id: IDS.saved_view },
    body: { name: 'In use', filter: { licence_list: IDS.licence_list }, sort: '-downloads' },
    status: 200,
  },
  'delete /api/views/{id}': { params: { id: IDS.saved_view }, status: 204 },
  'get /api/tags': { query: { search: 'sum', limit: '10' }, status: 200 },
}
