// Notices in the page.
import { noticesExamples } from './examples.ts'
import { noticeCreated } from '../../core/outbox/notices.ts'
import { noticeRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const noticesFeature = defineFeature({
  name: 'notices',
  examples: noticesExamples,
  endpoints: noticeRoutes,
  events: [noticeCreated],
  tables: {
    notices: {
      about: 'Notices to the shop',
      columns: ['title', 'body', 'title_text', 'body_text'],
      how: 'delete',
    },
  },
})
