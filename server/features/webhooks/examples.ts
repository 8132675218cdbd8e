// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

export const webhooksExamples: Examples = {
  'get /api/webhooks': { status: 200 },
  'get /api/webhook-events': { status: 200 },
  'post /api/webhooks': {
    body: {
      url: 'https://example.com/hooks/stevedore',
      description: 'Bookkeeping',
      events: ['operation.finished', 'link.exhausted'],
    },
    status: 201,
  },
  'get /api/webhooks/{id}': { params: { id: IDS.webhook }, status: 200 },
  'patch /api/webhooks/{id}': {
    params: { id: IDS.webhook },
    body: { events: [], enabled: true },
    status: 200,
  },
  'delete /api/webhooks/{id}': { params: { id: IDS.webhook }, status: 204 },
  'post /api/webhooks/{id}/rotate': {
    params: { id: IDS.webhook },
    body: { keep_hours: 24 },
    status: 200,
  },
  'post /api/webhooks/{id}/test': { params: { id: IDS.webhook }, status: 202 },
  'get /api/webhooks/{id}/deliveries': {
    params: { id: IDS.webhook },
    query: { status: 'failed', limit: '20' },
    status: 200,
  },
  'post /api/webhooks/{id}/deliveries/{message}/replay': {
    params: { id: IDS.webhook, message: IDS.webhook_message },
    status: 202,
  },
}
