// Examples of the requests, which the API's document shows and a test sends.
import { IDS, TABLE, type Examples } from '../../http/example.ts'

export const feedsExamples: Examples = {
  'post /api/feeds/table': { body: { url: TABLE }, status: 200 },
  'get /api/feeds': { status: 200 },
  'post /api/feeds': {
    body: {
      name: 'Supplier',
      url: TABLE,
      headers: { Authorization: 'Bearer 4f3a' },
      mapping: { filename: 'name', file_url: 'link', product_sku: 'sku' },
      cron: '0 2 * * *',
      vanished: 'tag',
      vanished_tag: 'discontinued',
    },
    status: 201,
  },
  'get /api/feeds/{id}': { params: { id: IDS.feed }, status: 200 },
  'patch /api/feeds/{id}': { params: { id: IDS.feed }, body: { enabled: false }, status: 200 },
  'delete /api/feeds/{id}': { params: { id: IDS.feed }, status: 204 },
  'post /api/feeds/{id}/run': {
    params: { id: IDS.feed },
    body: { dry_run: true },
    status: 202,
  },
  'get /api/feeds/{id}/runs': { params: { id: IDS.feed }, status: 200 },
  'get /api/feeds/{id}/runs/{run}/changes': {
    params: { id: IDS.feed, run: IDS.feed_run },
    status: 200,
  },
}
