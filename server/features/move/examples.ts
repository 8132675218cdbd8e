// Examples of the requests, which the API's document shows and a test sends.
import { IDS, SOURCE, type Examples } from '../../http/example.ts'

const move = { id: IDS.move }

export const moveExamples: Examples = {
  'post /api/moves': {
    query: { filename: 'wc-product-export.csv' },
    content: {
      type: 'text/csv',
      text: `ID,Type,SKU,Name,Download limit,Download expiry days,Download 1 name,Download 1 URL\r\n12,"simple, downloadable",GUIDE-1,Guide,5,30,Guide,${SOURCE}\r\n`,
    },
    status: 201,
  },
  'get /api/moves': { status: 200 },
  'get /api/moves/{id}': { params: move, status: 200 },
  'delete /api/moves/{id}': { params: move, status: 204 },
  'post /api/moves/{id}/start': { params: move, body: {}, status: 202 },
}
