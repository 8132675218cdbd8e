// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const preparationExamples: Examples = {
  'get /api/licence-lists': { status: 200 },
  'post /api/licence-lists': { body: { name: 'Editor, single seat' }, status: 201 },
  'get /api/licence-lists/{id}': { params: { id: IDS.licence_list }, status: 200 },
  'post /api/licence-lists/{id}/keys': {
    params: { id: IDS.licence_list },
    content: { type: 'text/csv', text: 'licence key\nAAAA-BBBB-CCCC\nDDDD-EEEE-FFFF\n' },
    status: 200,
  },
  'delete /api/licence-lists/{id}': { params: { id: IDS.licence_list }, status: 204 },
}
