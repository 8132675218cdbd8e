// Examples of requests about files, their versions and their tags.
import { IDS, SOURCE, type Examples } from './example.ts'

const file = { id: IDS.file }

export const fileExamples: Examples = {
  'post /api/files/import': {
    body: {
      files: [
        {
          filename: 'guide.pdf',
          url: SOURCE,
          product_sku: 'GUIDE-1',
          expiry_days: 60,
          download_limit: 5,
          tags: ['guide'],
        },
      ],
      auto_map: true,
      notify: false,
      on_conflict: 'error',
    },
    status: 200,
  },
  'post /api/files/bulk-delete': {
    body: { file_ids: [IDS.file, IDS.second_file], remove_mappings: false, backup_first: true },
    status: 200,
  },
  'put /api/files/bulk-update': {
    body: {
      file_ids: [IDS.file],
      updates: { expiry_days: 30, download_limit: null, tags: ['sale'], tags_mode: 'add' },
    },
    status: 200,
  },
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
  'post /api/files/impact': {
    body: { select: { file_ids: [IDS.file, IDS.second_file] } },
    status: 200,
  },
  'get /api/files/{id}': { params: file, status: 200 },
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
  'get /api/tags': { query: { search: 'sum', limit: '10' }, status: 200 },
  'get /api/tag-templates': { status: 200 },
  'post /api/tag-templates': {
    body: { name: 'Summer sale', tags: ['summer', 'sale'] },
    status: 201,
  },
  'patch /api/tag-templates/{id}': {
    params: { id: IDS.template },
    body: { tags: ['summer', 'sale', '2026'] },
    status: 200,
  },
  'delete /api/tag-templates/{id}': { params: { id: IDS.template }, status: 204 },
}
