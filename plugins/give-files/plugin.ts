// Gives files to past buyers: everyone who paid for a product before it had the file.
import { z } from 'zod'
import {
  definePlugin,
  planEach,
  say,
  sayFixed,
  sayPlain,
  sentences,
  type Text,
} from '../contract/index.ts'

const MAX_RATE = 36_000

const options = z.strictObject({
  email: z.boolean().default(true).meta({
    title: 'Email the buyers',
    help: 'One email for each order, with the link that its buyer already has.',
  }),
  mails_per_hour: z
    .number()
    .int(sayPlain('Whole emails'))
    .min(1, sayPlain('At least 1'))
    .max(MAX_RATE, sayFixed('At most {limit}', { limit: MAX_RATE }))
    .nullable()
    .default(null)
    .meta({
      title: 'Emails per hour',
      help: 'Empty: one after another, after all other emails. The files are on the pages of all buyers immediately.',
      suffix: 'an hour',
    }),
  product_id: z.string().min(1).max(100).nullable().default(null).meta({
    title: 'Product',
    help: 'Only buyers of this product. Empty: buyers of all products of the files.',
    widget: 'none',
  }),
})

/**
 * Plans only: the files are given in the transaction that writes the outcomes. An undo withdraws
 * them; sent emails cannot be recalled.
 */
export const giveFiles = definePlugin({
  id: 'give-files',
  kind: 'act',
  title: 'Give to past buyers',
  actions: [
    {
      group: 'deliver',
      body: 'give',
      labels: {
        action: 'Give to past buyers',
        title: 'Give {count, plural, one {# file} other {# files}} to past buyers',
        intro:
          'Everyone who paid for a product before it had these files gets them on the page of their order. Refunded, cancelled and held orders get nothing.',
        button: 'Give {count, plural, one {# file} other {# files}}',
        running: 'Giving {count, plural, one {# file} other {# files}} to past buyers',
        done: '{count, plural, one {# file} other {# files}} given to past buyers',
        result: 'given to past buyers',
        preview: '{count, plural, one {# file} other {# files}} would be given to past buyers',
      },
      preview: 'exact',
      previewRequired: 'always',
    },
  ],
  options,
  undo: 'fields',
  worksOn: 'files',
  permission: 'links:write',
  summary: ({ email, product_id, mails_per_hour }) =>
    email && mails_per_hour !== null
      ? sentences(summaryOf(email, product_id), ratePhrase(mails_per_hour))
      : summaryOf(email, product_id),
  plan: planEach((_, { email, product_id, mails_per_hour }) => ({
    status: 'ok',
    give: { product_id, send: email, per_hour: mails_per_hour },
    unchanged: say('No past buyer lacks it'),
  })),
})

function summaryOf(email: boolean, product: string | null): Text {
  if (product === null)
    return email
      ? say('To everyone who bought their products, with an email')
      : say('To everyone who bought their products, without an email')
  return email
    ? say('To the buyers of one product, with an email')
    : say('To the buyers of one product, without an email')
}

const ratePhrase = (count: number): Text =>
  say('At most {count, plural, one {# email} other {# emails}} an hour', { count })
