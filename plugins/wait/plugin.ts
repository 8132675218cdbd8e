// Ends a part of a workflow: the steps after it are an operation of their own, some time later.
import { z } from 'zod'
import { definePlugin, say, sayPlain } from '../contract/index.ts'

const SECONDS = { minutes: 60, hours: 3600, days: 86_400 } as const
const MAX_SECONDS = 90 * SECONDS.days

const options = z
  .strictObject({
    for: z.int().min(1).max(129_600).optional().meta({ title: 'Wait for' }),
    unit: z
      .enum(['minutes', 'hours', 'days'])
      .default('days')
      .meta({ title: 'Unit', choices: { minutes: 'Minutes', hours: 'Hours', days: 'Days' } }),
    until: z.iso.date().optional().meta({
      title: 'Or until the day',
      help: 'It begins in the time zone of the shop. A day that is over is no wait.',
    }),
  })
  .superRefine(({ for: count, unit, until }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (count === undefined && until === undefined) refuse('for', sayPlain('This is required'))
    if (count !== undefined && until !== undefined)
      refuse('until', sayPlain('Say either how long or until when'))
    if (count !== undefined && count * SECONDS[unit] > MAX_SECONDS)
      refuse('for', sayPlain('At most 90 days'))
  })

export const wait = definePlugin({
  id: 'wait',
  kind: 'act',
  title: 'Wait',
  actions: [],
  options,
  undo: 'fields',
  summary: ({ for: count = 1, unit, until }) => {
    if (until !== undefined) return say('Continues on {day}', { day: until })
    if (unit === 'minutes')
      return say('Continues after {count, plural, one {# minute} other {# minutes}}', { count })
    if (unit === 'hours')
      return say('Continues after {count, plural, one {# hour} other {# hours}}', { count })
    return say('Continues after {count, plural, one {# day} other {# days}}', { count })
  },
  waits: ({ for: count = 1, unit, until }) =>
    until === undefined ? { seconds: count * SECONDS[unit] } : { until },
  async *plan(items, _options, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield { item: item.id, status: 'ok' as const }
    }
  },
})
