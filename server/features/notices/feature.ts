// Notices in the page.
import { noticeRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const noticesFeature = defineFeature({
  name: 'notices',
  endpoints: noticeRoutes,
  tables: {
    notices: { about: 'Notices to the shop', columns: ['title', 'body'], how: 'delete' },
  },
})
