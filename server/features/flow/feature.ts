// Triggers and actions of the platform’s automation. Requests reach it before Koa.
import type { FlowParts } from './address.ts'
import { flowDeliverer } from './deliverer.ts'
import { flowRequests } from './requests.ts'
import { raiseImportFinished } from './triggers.ts'
import { defineFeature } from '../feature.ts'
import type { SendTrigger } from '../../storefront/flow.ts'

export interface FlowSendParts {
  /** The platform's automation of a shop; absent: there is none. */
  triggers?: (shop: number) => SendTrigger
}

export const flowFeature = defineFeature({
  name: 'flow',
  requests: (parts: FlowParts) => [flowRequests(parts)],
  onEnd: () => [{ of: { kind: 'import' }, run: raiseImportFinished }],
  sends: { flow: ({ triggers }: FlowSendParts) => flowDeliverer(triggers) },
  tables: {
    flow_triggers: 'handles of the app’s own triggers',
  },
})
