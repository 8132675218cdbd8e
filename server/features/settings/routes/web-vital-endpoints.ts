// Speed of the admin page in a merchant's browser, as the storefront's admin measured it: one line
// in the log for each report.
import { sayPlain } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import type { Logger } from '../../../core/log.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'

const NAMES = ['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FID'] as const

const body = z
  .strictObject({
    path: z.string().max(200),
    metrics: z
      .array(z.object({ name: z.enum(NAMES), value: z.number().min(0).max(1e9) }))
      .min(1)
      .max(NAMES.length, sayPlain('At most one of each')),
  })
  .meta({ id: 'WebVitals' })

export const webVitalRoutes = ({ log }: { log: Logger }): Endpoint[] => [
  endpoint('POST /api/web-vitals', {
    summary: 'Report how fast the admin page was in a browser',
    description: 'Of the page itself: Web Vitals, in milliseconds (CLS: without a unit).',
    tag: 'Session',
    scope: 'operations:read',
    body,
    replies: { 204: { description: 'It is in the log', schema: null } },
    handler: ({ caller, body: { path, metrics } }) => {
      log.info('web vitals', {
        shop: caller.scope.shop,
        page: path,
        ...Object.fromEntries(metrics.map(({ name, value }) => [name.toLowerCase(), value])),
      })
      return Promise.resolve({ status: 204, body: null })
    },
  }),
]
