// Triggers and actions of the platform’s automation. Requests reach it before Koa.
import type { FlowParts } from './address.ts'
import { flowRequests } from './requests.ts'
import { raiseImportFinished } from './triggers.ts'
import { defineFeature } from '../feature.ts'

export const flowFeature = defineFeature({
  name: 'flow',
  requests: (parts: FlowParts) => [flowRequests(parts)],
  onEnd: () => [{ of: { kind: 'import' }, run: raiseImportFinished }],
  tables: {
    flow_triggers: 'handles of the app’s own triggers',
  },
})
