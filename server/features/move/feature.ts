// Moving from other apps: their exports become files, and links for their buyers.
import { accessEffect } from './access-effect.ts'
import { moveExamples } from './examples.ts'
import { mailMovedBuyers } from './moved-buyers.ts'
import { completeMovedFiles } from './moved-files.ts'
import { moveRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const moveFeature = defineFeature({
  name: 'move',
  examples: moveExamples,
  endpoints: moveRoutes,
  effects: ({ secrets }) => [accessEffect(secrets)],
  onEnd: () => async (tx, operation, worked) => {
    await completeMovedFiles(tx, operation, worked)
    await mailMovedBuyers(tx, operation, worked)
  },
  tables: {
    moves: 'names and headers of the merchant’s own tables, and counts',
    move_rows: {
      about: 'Buyers in exports of other apps',
      columns: ['email', 'data'],
      how: 'delete',
    },
    move_access: { about: 'Links that a move creates', columns: ['email'], how: 'delete' },
    moved_files: 'hashes of addresses, and names of products',
  },
})
