import type { Examples } from '../../http/example.ts'

export const parcelExamples: Examples = {
  'post /api/parcels': { body: { filename: 'letter.txt', text: 'Dear all' }, status: 202 },
}
