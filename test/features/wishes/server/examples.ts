import type { Examples } from '../../http/example.ts'

export const wishesExamples: Examples = {
  'get /api/wishes': { status: 200 },
  'post /api/wishes': { body: { filename: 'tide-tables.pdf' }, status: 201 },
}
