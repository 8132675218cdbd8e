// Files and products: the catalog, reviews.
import { say } from '../../../plugins/contract/index.ts'
import { defineEvent, operationFilesData } from '../../core/outbox/webhook-events.ts'
import type { Engine } from '../../engine/engine.ts'
import { productCreated } from '../../storefront/mirror/created-products.ts'
import { ACCEPTING } from './accept-reviews.ts'
import { mappingExamples } from './examples.ts'
import { reviewEffect } from './effect.ts'
import { rematchFiles } from './rematch-files.ts'
import { reopenReviews } from './model/reviews.ts'
import { productRoutes } from './routes/product-endpoints.ts'
import { reviewRoutes } from './routes/review-endpoints.ts'
import { ruleRoutes } from './routes/rule-endpoints.ts'
import { defineFeature } from '../feature.ts'

export const mappingFeature = defineFeature({
  name: 'mapping',
  examples: mappingExamples,
  endpoints: (parts: { engine: Engine }) => [
    ...productRoutes(),
    ...reviewRoutes(parts),
    ...ruleRoutes(parts),
  ],
  events: [
    defineEvent({
      name: 'mapping.changed',
      title: say('Files got other products'),
      about: 'The files that got other products in an operation',
      starts: say('files got other products'),
      data: operationFilesData,
      operations: {
        of: [
          { worked: true, undo: true },
          { worked: true, announced: 'mapping.changed' },
        ],
        content: 'files',
        about: 'mapped',
      },
    }),
    defineEvent({
      name: 'review.opened',
      title: say('Files wait for a product to be chosen'),
      about: 'The files that match several products, so that a person must choose',
      starts: say('files wait for a product to be chosen'),
      data: operationFilesData,
      operations: { of: { completed: true }, content: 'files', about: 'asking' },
    }),
    productCreated,
  ],
  effects: () => [reviewEffect],
  onEnd: () => [
    {
      of: [{ action: ACCEPTING }, { undo: true }],
      run: (tx, operation) => reopenReviews(tx, operation),
    },
  ],
  refreshed:
    ({ engine }: { engine: Engine }) =>
    (scope, { matchable }) =>
      rematchFiles(engine, scope, matchable),
  tables: {
    catalog_mirrors: 'counts of the catalog',
    catalog_staged: 'the shop’s public catalog',
    mapping_rules:
      'parts of names of files, the shop’s public catalog, and who of the shop made it',
    mappings: 'the shop’s public catalog',
    products: 'the shop’s public catalog',
    reviews: 'the shop’s public catalog, and who of the shop decided',
    variants: 'the shop’s public catalog',
  },
})
