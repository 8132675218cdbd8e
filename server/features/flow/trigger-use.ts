// POST /flow/triggers: the platform reports whether a shop has a workflow that begins with one of
// the app's triggers. Only then the trigger is sent.
import { z } from 'zod'
import { FLOW_TRIGGERS, recordTriggerUse } from './triggers.ts'
import type { FlowAddress } from './address.ts'

const schema = z.object({
  flow_trigger_definition_id: z.enum(FLOW_TRIGGERS),
  has_enabled_flow: z.boolean(),
  timestamp: z.iso.datetime({ offset: true }),
})

export const TRIGGER_USE: FlowAddress = {
  path: '/flow/triggers',
  handle: async (tx, body) => {
    // A trigger of another version: nothing to do.
    const { data } = schema.safeParse(body)
    if (data)
      await recordTriggerUse(tx, {
        handle: data.flow_trigger_definition_id,
        enabled: data.has_enabled_flow,
        at: new Date(data.timestamp),
      })
    return {}
  },
}
