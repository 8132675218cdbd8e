// Packs of files.
import { packRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const packsFeature = defineFeature({
  name: 'packs',
  endpoints: packRoutes,
  showsDownloads: true,
  tables: {
    pack_products: 'the shop’s public catalog',
    packs: 'names that the merchant gave',
  },
})
