// Small pictures of files, for lists and buyers' pages.
import { defineFeature } from '../feature.ts'

export const previewsFeature = defineFeature({
  name: 'previews',
  tables: { preview_images: 'small pictures of the merchant’s own files' },
})
