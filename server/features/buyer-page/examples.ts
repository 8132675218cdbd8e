// Examples of the requests, which the API's document shows and a test sends.
import { type Examples } from '../../http/example.ts'

export const buyerPageExamples: Examples = {
  'get /api/settings/buyer-page': { status: 200 },
  'patch /api/settings/buyer-page': {
    body: {
      accent: '#0a6b5d',
      language: 'de',
      texts: { en: { intro: 'Thank you for your order!', footer: 'Questions? help@example.com' } },
    },
    status: 200,
  },
  'put /api/settings/buyer-page/logo': {
    body: {
      image:
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    },
    status: 200,
  },
  'delete /api/settings/buyer-page/logo': { status: 200 },
  'post /api/settings/buyer-page/preview': {
    body: { accent: '#b5179e', locale: 'fr', page: 'files' },
    status: 200,
  },
}
