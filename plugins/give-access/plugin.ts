// Gives past buyers of another app links to the files that they had access to there.
import { z } from 'zod'
import { definePlugin, planEach, sayPlain } from '../contract/index.ts'

const options = z.strictObject({
  move: z
    .string()
    .regex(/^[0-9a-f-]{36}$/)
    .meta({ title: 'Buyers', widget: 'none' }),
  email: z.boolean().default(false).meta({
    title: 'Email the buyers',
    help: 'One email for each buyer. Without it, the links are ready and nobody is told.',
  }),
})

/**
 * Plans only: the links are created in the transaction that writes the outcomes. An undo revokes
 * them; sent emails cannot be recalled.
 */
export const giveAccess = definePlugin({
  id: 'give-access',
  kind: 'act',
  title: 'Give access to buyers of another app',
  // Started by its own endpoint: it needs a table of buyers.
  actions: [],
  options,
  undo: 'fields',
  worksOn: 'files',
  permission: 'links:write',
  summary: ({ email }) =>
    email
      ? sayPlain('Links for buyers of another app, with an email')
      : sayPlain('Links for buyers of another app, without an email'),
  plan: planEach((_, { move, email }) => ({
    status: 'ok',
    access: { move, send: email },
    unchanged: sayPlain('Its buyers have links already'),
  })),
})
