// Notices in the page.
import { noticesExamples } from './examples.ts'
import { noticeRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const noticesFeature = defineFeature({
  name: 'notices',
  examples: noticesExamples,
  endpoints: noticeRoutes,
  tables: {
    notices: { about: 'Notices to the shop', columns: ['title', 'body'], how: 'delete' },
  },
})
