// Webhooks to the merchants’ own servers.
import { addressPlace } from '../../core/client-address.ts'
import { sealedBytes } from '../../core/sealed-place.ts'
import { defineFeature } from '../feature.ts'
import { webhooksExamples } from './examples.ts'
import { webhookDeliverer, raisedAtEnds } from './deliverer.ts'
import { webhookRoutes } from './routes.ts'
import { secretPlace } from './webhooks.ts'

export const webhooksFeature = defineFeature({
  name: 'webhooks',
  examples: webhooksExamples,
  endpoints: webhookRoutes,
  onEnd: ({ events }) => [raisedAtEnds(events)],
  sends: { webhook: webhookDeliverer },
  sealed: [
    ...sealedBytes('webhook_endpoints', ['secret', 'previous_secret'], secretPlace),
    {
      table: 'webhook_endpoints',
      column: 'sealed_url',
      format: 'text',
      about: ({ shop }) => addressPlace(shop),
    },
  ],
  tables: {
    webhook_endpoints: 'addresses of the merchant’s own servers',
    webhooks: 'ids of the platform, kept for some days',
  },
})
