// Downloads by buyers. Requests reach it before Koa.
import type { Delivery } from './downloads.ts'
import { deliveryAddress } from './request.ts'
import { deliveryDownloaded, linkExhausted } from './exhausted-links.ts'
import type { Database } from '../../core/db/database.ts'
import { buyerAsked, notifyDownloads } from './download-notices.ts'
import { linkRefused } from './refused-attempts.ts'
import { sweepDownloads } from './record.ts'
import { sweepBatches } from './counted-writes.ts'
import { sweepSessions } from './counting/sessions.ts'
import { sweepViewSessions } from './view-sessions.ts'
import { operationListings } from './zip-of-operation.ts'
import { defineFeature } from '../feature.ts'

export const downloadsFeature = defineFeature({
  name: 'downloads',
  requests: ({ delivery }: { delivery: Pick<Delivery, 'handle'> }) => [
    {
      raw: true,
      path: ['/download', '/download/', '/files/', '/cdn/', '/view', '/view/'],
      route: deliveryAddress,
      handle: delivery.handle,
    },
  ],
  listings: operationListings,
  events: [linkExhausted, linkRefused, buyerAsked, deliveryDownloaded],
  sweeps: ({ database, clock }: { database: Database; clock: () => Date }) => ({
    counted_batches: () => sweepBatches(database.pool, clock()),
    sessions: () => sweepSessions(database.pool, clock()),
    view_sessions: () => sweepViewSessions(database.pool, clock()),
    downloads: () => sweepDownloads(database.pool, clock()),
    download_notices: () => notifyDownloads(database, clock()),
  }),
  tables: {
    downloads: { about: 'Downloads', columns: ['address', 'agent'], how: 'link' },
    refused_downloads: {
      about: 'Refused downloads',
      columns: ['address', 'agent'],
      keeps: ['reason'],
      how: 'link',
    },
    // Also the addresses of others to whom a buyer gave the link.
    link_openings: { about: 'Opened links', columns: ['email', 'address', 'agent'], how: 'delete' },
    file_views: { about: 'Views', columns: ['address', 'agent'], how: 'link' },
    view_sessions: { about: 'Open views', columns: [], how: 'link' },
    download_sessions: { about: 'Open downloads', columns: [], how: 'link' },
    archive_sessions: {
      about: 'Open downloads of all files',
      columns: ['entries'],
      how: 'link',
    },
    download_notices: 'counts',
    file_days: 'counts',
  },
})
