// Ends a part of a workflow: the steps after it are an operation of their own, some time later.
import { z } from 'zod'
import {
  definePlugin,
  durationCount,
  durationSeconds,
  durationUnit,
  MAX_WAIT_SECONDS,
  say,
  sayPlain,
} from '../contract/index.ts'

const options = z
  .strictObject({
    for: durationCount.optional().meta({ title: 'Wait for' }),
    unit: durationUnit,
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
    if (count !== undefined && durationSeconds(count, unit) > MAX_WAIT_SECONDS)
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
    until === undefined ? { seconds: durationSeconds(count, unit) } : { until },
  async *plan(items, _options, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield { item: item.id, status: 'ok' as const }
    }
  },
})
