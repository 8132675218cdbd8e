// Notifies the buyers of files about a new version: one mail for each order, with the link that the
// buyer already has. These mails are sent one after another, after all other mail.
import { z } from 'zod'
import { definePlugin, planEach, say, sayPlain } from '../contract/index.ts'

/**
 * Has no `run`: the mails are queued in the transaction that writes the file's outcome. An undo
 * cannot recall them.
 */
export const tellBuyers = definePlugin({
  id: 'tell-buyers',
  kind: 'act',
  title: 'Notify past buyers',
  actions: [
    {
      group: 'deliver',
      body: 'tell',
      labels: {
        action: 'Notify past buyers',
        title: 'Notify the buyers of {count, plural, one {# file} other {# files}}',
        intro:
          'Each buyer whose delivery contains these files gets one email for the order, with the link that they already have. Sent emails can’t be undone.',
        button: 'Send emails',
        running: 'Notifying the buyers of {count, plural, one {# file} other {# files}}',
        done: 'The buyers of {count, plural, one {# file} other {# files}} were notified',
        result: 'announced to buyers',
      },
      preview: 'exact',
    },
  ],
  options: z.strictObject({}),
  undo: 'none',
  worksOn: 'files',
  permission: 'links:write',
  summary: () =>
    say('An email to everyone whose paid delivery contains the file, one for each order'),
  plan: planEach(() => ({
    status: 'ok',
    buyers: 'tell',
    unchanged: sayPlain('No buyer with an email address has it'),
  })),
})
