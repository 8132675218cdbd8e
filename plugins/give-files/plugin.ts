// Gives files to past buyers: everyone who paid for a product before it had the file.
import { z } from 'zod'
import { definePlugin, planEach, say } from '../contract.ts'

const options = z.strictObject({
  email: z.boolean().default(true).meta({
    title: 'Email the buyers',
    help: 'One email for each order, with the link that its buyer already has.',
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
  summary: ({ email, product_id }) => {
    if (product_id === null)
      return email
        ? say('To everyone who bought their products, with an email')
        : say('To everyone who bought their products, without an email')
    return email
      ? say('To the buyers of one product, with an email')
      : say('To the buyers of one product, without an email')
  },
  plan: planEach((_, { email, product_id }) => ({
    status: 'ok',
    give: { product_id, send: email },
    unchanged: say('No past buyer lacks it'),
  })),
})
