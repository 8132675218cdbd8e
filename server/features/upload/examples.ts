// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'
import { TUS_VERSION } from './tus.ts'

const batch = { id: IDS.batch }
const upload = { id: IDS.unfinished_upload }
const tus = { 'Tus-Resumable': TUS_VERSION }

export const uploadExamples: Examples = {
  'post /api/uploads/check': {
    body: {
      files: [
        {
          filename: 'guide.pdf',
          size_bytes: 52_428,
          sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
      ],
    },
    status: 200,
  },
  'post /api/uploads/batches': { body: { count: 2, auto_map: true }, status: 201 },
  'get /api/uploads/batches/{id}': { params: batch, status: 200 },
  'patch /api/uploads/batches/{id}': {
    params: batch,
    body: { files: { tags: ['spring'], pack: 'Spring course', expiry_days: 60 } },
    status: 200,
  },
  'post /api/uploads/batches/{id}/start': { params: batch, status: 202 },
  'post /api/uploads/check-names': { body: { filenames: ['guide.pdf', 'cover.jpg'] }, status: 200 },
  'post /api/uploads/results': {
    body: { upload_ids: ['upload_00000000000000000000000000000000'] },
    status: 200,
  },
  'post /api/uploads/{id}/pieces': { params: upload, body: {}, status: 200 },
  'options /api/uploads': { headers: tus, status: 204 },
  'post /api/uploads': {
    // The values are base64: guide.pdf, new_version.
    headers: {
      ...tus,
      'Upload-Length': '1000',
      'Upload-Metadata': 'filename Z3VpZGUucGRm,on_conflict bmV3X3ZlcnNpb24=',
    },
    status: 201,
  },
  'head /api/uploads/{id}': { params: upload, headers: tus, status: 200 },
  'patch /api/uploads/{id}': {
    params: upload,
    headers: { ...tus, 'Upload-Offset': '0' },
    content: { type: 'application/offset+octet-stream', text: 'The first of its bytes' },
    status: 204,
  },
  'delete /api/uploads/{id}': { params: upload, headers: tus, status: 204 },
}
