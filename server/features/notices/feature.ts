// Notices in the page.
import { noticesExamples } from './examples.ts'
import { noticeCreated, raiseNotice } from '../../core/outbox/notices.ts'
import { noticeRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const noticesFeature = defineFeature({
  name: 'notices',
  examples: noticesExamples,
  endpoints: noticeRoutes,
  events: [noticeCreated],
  operationMessages: {
    notice: (tx, operation, notice) => raiseNotice(tx, { ...notice, operation_id: operation }),
  },
  tables: {
    notices: {
      about: 'Notices to the shop',
      columns: ['title', 'body', 'title_text', 'body_text'],
      how: 'delete',
    },
  },
})
