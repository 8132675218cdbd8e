// Webhooks to the merchants’ own servers.
import { webhooksExamples } from './examples.ts'
import { raisedAtEnds } from './operation-events.ts'
import { webhookRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const webhooksFeature = defineFeature({
  name: 'webhooks',
  examples: webhooksExamples,
  endpoints: webhookRoutes,
  onEnd: ({ events }) => events.flatMap(raisedAtEnds),
  tables: {
    webhook_endpoints: 'addresses of the merchant’s own servers',
    webhooks: 'ids of the platform, kept for some days',
  },
})
