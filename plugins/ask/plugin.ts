// Ends a part of a workflow: the preview of the steps after it is a question, and they run if it is
// approved.
import { z } from 'zod'
import {
  definePlugin,
  durationCount,
  durationSeconds,
  durationUnit,
  emailAddress,
  MAX_WAIT_SECONDS,
  say,
  sayFixed,
  sayPlain,
} from '../contract/index.ts'

const MAX_PEOPLE = 10

const options = z
  .strictObject({
    who: z
      .array(emailAddress(sayPlain('Enter an email address')))
      .max(MAX_PEOPLE, sayFixed('At most {count} people', { count: MAX_PEOPLE }))
      .refine(
        (who) => new Set(who.map((one) => one.toLowerCase())).size === who.length,
        sayPlain('Each of them once'),
      )
      .default([])
      .meta({
        title: 'Who may answer',
        help: 'The email addresses of people. If there is none: anyone who may run workflows in the shop.',
      }),
    within: durationCount.default(3).meta({ title: 'Time to answer' }),
    unit: durationUnit,
    no_answer: z
      .enum(['remind', 'approve', 'reject'])
      .default('remind')
      .meta({
        title: 'If nobody answers',
        help: 'People are reminded up to five times, then it is rejected.',
        choices: { remind: 'Remind', approve: 'Approve', reject: 'Reject' },
      }),
    starter_may_approve: z.boolean().default(true).meta({
      title: 'Who started the run may approve it',
      help: 'Otherwise another person has to approve.',
    }),
  })
  .superRefine(({ within, unit }, context) => {
    if (durationSeconds(within, unit) > MAX_WAIT_SECONDS)
      context.addIssue({ code: 'custom', path: ['within'], message: sayPlain('At most 90 days') })
  })

export const ask = definePlugin({
  id: 'ask',
  kind: 'act',
  title: 'Ask',
  actions: [],
  options,
  undo: 'fields',
  summary: ({ who }) =>
    who.length === 0
      ? say('Continues when it is approved')
      : say('Continues when it is approved by {who}', { who: who.join(', ') }),
  waits: ({ who, within, unit, no_answer, starter_may_approve }) => ({
    ask: { who, seconds: durationSeconds(within, unit), no_answer, starter_may_approve },
  }),
  async *plan(items, _options, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield { item: item.id, status: 'ok' as const }
    }
  },
})
