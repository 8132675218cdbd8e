// Packs of files.
import { packsExamples } from './examples.ts'
import { dropUndonePacks } from './model/undone.ts'
import { packRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const packsFeature = defineFeature({
  name: 'packs',
  examples: packsExamples,
  endpoints: packRoutes,
  changesDelivery: true,
  onEnd: () => [{ of: { undo: true, worked: true }, run: dropUndonePacks }],
  tables: {
    pack_files: 'which files the merchant put together',
    pack_products: 'the shop’s public catalog',
    packs: 'names that the merchant gave',
  },
})
