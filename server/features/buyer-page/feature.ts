// The look of the pages that buyers see.
import { buyerPageExamples } from './examples.ts'
import { buyerPageRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const buyerPageFeature = defineFeature({
  name: 'buyer-page',
  examples: buyerPageExamples,
  endpoints: buyerPageRoutes,
  tables: {
    buyer_pages: 'the look and the texts of the shop’s own pages',
  },
})
