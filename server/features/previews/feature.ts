// Small pictures of files and products, for lists and buyers' pages.
import type { Database } from '../../core/db/database.ts'
import { defineFeature } from '../feature.ts'
import { sweepProductPictures } from './product-pictures.ts'

export const previewsFeature = defineFeature({
  name: 'previews',
  sweeps: ({ database }: { database: Database }) => ({
    product_pictures: () => sweepProductPictures(database),
  }),
  tables: {
    preview_images: 'small pictures of the merchant’s own files',
    product_pictures: 'small pictures of the merchant’s own products',
  },
})
