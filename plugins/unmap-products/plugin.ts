// Removes files' mappings: all, or those to the given products. Links of a file that loses its last
// product are suspended.
import { z } from 'zod'
import { definePlugin, say, type Outcome, sayPlain } from '../contract/index.ts'

const options = z.strictObject({
  product_ids: z.array(z.string().max(255)).min(1).max(1000).optional().meta({
    title: 'Products',
    help: 'Only these products; absent: all',
    widget: 'products',
  }),
})

const NOT_THESE = sayPlain('It has no such product')
const NONE = sayPlain('It has no product')

export const unmapProducts = definePlugin({
  id: 'unmap-products',
  kind: 'map',
  title: 'Remove product mapping',
  actions: [
    {
      group: 'products',
      labels: {
        action: 'Remove product mappings',
        title: 'Remove product mappings of {count, plural, one {# file} other {# files}}?',
        button: 'Remove mappings',
        running: 'Removing the product mappings of {count, plural, one {# file} other {# files}}',
        done: 'Product mappings of {count, plural, one {# file} other {# files}} removed',
        result: 'unmapped',
        preview:
          '{count, plural, one {# file would lose its products} other {# files would lose their products}}',
      },
      destructive: true,
      warning: {
        tone: 'warning',
        title: 'Download links stop working',
        text: 'The links of a file that is left without a product stop immediately, and work again when it is mapped again. The files stay.',
      },
      fits: {
        rules: [
          { rule: 'some', files: { mapped: true }, why: 'None of them is mapped to a product' },
        ],
      },
    },
  ],
  form: {
    alternatives: [
      {
        title: 'Remove from',
        as: 'select',
        choices: [
          { label: 'All their products', fields: [] },
          { label: 'Another product …', fields: ['product_ids'] },
        ],
      },
    ],
  },
  options,
  undo: 'fields',
  announces: ['mapping.changed'],
  worksOn: 'files',
  summary: ({ product_ids }) =>
    product_ids === undefined
      ? say('Removes all product mappings')
      : say('Removes mappings to {count, plural, one {# product} other {# products}}', {
          count: product_ids.length,
        }),
  async *plan(items, { product_ids }, context): AsyncGenerator<Outcome> {
    for (const item of items) {
      context.signal.throwIfAborted()
      const gone = item.file.mappings.filter(
        ({ product_id }) => product_ids?.includes(product_id) ?? true,
      )
      if (gone.length === 0)
        yield { item: item.id, status: 'skipped', reason: product_ids ? NOT_THESE : NONE }
      else {
        const remove = gone.map(({ product_id, variant_id }) => ({ product_id, variant_id }))
        yield { item: item.id, status: 'ok', change: { mappings: { remove } } }
      }
    }
  },
})
