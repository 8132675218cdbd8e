// Selects which of an order's files the delivery contains: files that do not meet the rule are left
// out.
import { z } from 'zod'
import {
  conditionSchema,
  definePlugin,
  matchesCondition,
  say,
  sayPlain,
} from '../contract/index.ts'

const options = z.strictObject({
  deliver: conditionSchema
    .refine((rule) => Object.keys(rule).length > 0, sayPlain('Choose which files are delivered'))
    .meta({ title: 'Deliver files that', widget: 'condition' }),
})

export const chooseFiles = definePlugin({
  id: 'choose-files',
  kind: 'act',
  title: 'Choose files by a rule',
  actions: [],
  options,
  undo: 'none',
  worksOn: 'deliveries',
  summary: () => say('Leaves out files that do not match the rule'),
  conditions: ({ deliver }) => [deliver],
  async *plan(items, { deliver }, { signal, shop }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield matchesCondition(item.file, deliver, { timeZone: shop.settings.time_zone })
        ? { item: item.id, status: 'ok' as const }
        : {
            item: item.id,
            status: 'skipped' as const,
            reason: sayPlain('The workflow’s rule excludes it'),
          }
    }
  },
})
