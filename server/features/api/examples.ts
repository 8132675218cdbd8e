// Examples of the requests, which the API's document shows and a test sends.
import { SOURCE, type Examples } from '../../http/example.ts'

export const apiExamples: Examples = {
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
    lines: `{"import":{"on_conflict":"skip"}}
{"filename":"guide.pdf","url":"${SOURCE}","product_sku":"GUIDE-1"}
{"filename":"notes.pdf","url":"${SOURCE}","tags":["notes"]}
`,
    status: 200,
  },
}
