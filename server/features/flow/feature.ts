// Triggers and actions of the platform’s automation. Requests reach it before Koa.
import { raiseImportFinished } from './triggers.ts'
import { defineFeature } from '../feature.ts'

export const flowFeature = defineFeature({
  name: 'flow',
  onEnd: () => [{ of: { kind: 'import' }, run: raiseImportFinished }],
  tables: {
    flow_triggers: 'handles of the app’s own triggers',
  },
})
