// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

const link = { id: IDS.link }

export const linksExamples: Examples = {
  'post /api/links': {
    body: {
      file_ids: [IDS.file, IDS.second_file],
      expiry_days: 30,
      download_limit: 3,
      email: 'buyer@example.com',
      per_file: [{ file_id: IDS.second_file, expiry_days: null }],
    },
    status: 201,
  },
  'get /api/links': { query: { file_id: IDS.file, status: 'active' }, status: 200 },
  'get /api/links/export.csv': { query: { file_id: IDS.file }, status: 200 },
  'post /api/links/revoke': { body: { link_ids: [IDS.link] }, status: 200 },
  'post /api/links/email': { body: { link_ids: [IDS.link] }, status: 200 },
  'post /api/links/{id}/revoke': { params: link, status: 200 },
  'post /api/links/{id}/extend': { params: link, body: { expiry_days: 30 }, status: 200 },
  'post /api/links/{id}/ask': { params: link, body: { ask_for: 'email' }, status: 200 },
  'post /api/links/{id}/reset': { params: link, status: 200 },
}
