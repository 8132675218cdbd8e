// The home page: what needs the merchant, and what happened.
import { z } from 'zod'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { readFigures, PERIODS } from './model/figures.ts'
import { refreshShop } from './model/days.ts'
import { MAX_COUNTED, NEED_NAMES, readFirstSteps, readNeeds, type Need } from './model/needs.ts'

const count = z.number().int()
const homeSchema = z
  .object({
    needs: z
      .array(
        z.object({
          need: z.enum(NEED_NAMES as [Need, ...Need[]]),
          count: count.meta({ description: `Exact up to ${MAX_COUNTED}` }),
        }),
      )
      .meta({ description: 'What waits for somebody, the most important first' }),
    first_steps: z
      .object({
        imported: z.boolean(),
        mapped: z.boolean(),
        ordered: z.boolean(),
        downloaded: z.boolean(),
        branded: z.boolean(),
      })
      .meta({ description: 'What has happened in the shop so far' }),
  })
  .meta({ id: 'Home' })

const totals = z.object({ downloads: count, deliveries: count, imported_files: count })
const figuresSchema = z
  .object({
    days: z
      .array(totals.extend({ day: z.iso.date() }))
      .meta({ description: 'Oldest first, in UTC' }),
    totals: z
      .object({ now: totals, before: totals })
      .meta({ description: 'Of the period, and of the equally long one before it' }),
    top_files: z.array(z.object({ file_id: z.string(), filename: z.string(), downloads: count })),
    top_products: z.array(
      z.object({ product_id: z.string(), title: z.string(), downloads: count }),
    ),
    storage: z.array(z.object({ extension: z.string(), files: count, bytes: count })),
    imports: z.array(z.object({ channel: z.string(), imports: count, files: count })),
    failures: z.array(z.object({ code: z.string(), message: z.string(), files: count })),
    bounced_mails: count.meta({ description: 'Emails that could not be sent' }),
  })
  .meta({ id: 'Figures' })

const about = { tag: 'Home', scope: 'operations:read' } as const

export const homeRoutes = ({ clock }: { clock: () => Date }): Endpoint[] => [
  endpoint({
    ...about,
    method: 'get',
    path: '/api/home',
    summary: 'Read what needs the merchant, and the first steps of the shop',
    replies: { 200: { description: 'The counts', schema: homeSchema } },
    handler: async ({ caller: { scope } }) => {
      const [needs, first_steps] = await Promise.all([readNeeds(scope), readFirstSteps(scope)])
      return { body: { needs, first_steps } }
    },
  }),
  endpoint({
    ...about,
    method: 'get',
    path: '/api/home/figures',
    summary: 'Read downloads, deliveries and imports of the last days',
    description: 'Downloads are current; the other figures are counted again when they are read.',
    query: z.strictObject({
      days: z
        .enum(PERIODS.map(String) as [string, ...string[]])
        .default('30')
        .meta({ description: 'Days, today included' }),
    }),
    replies: { 200: { description: 'The figures', schema: figuresSchema } },
    handler: async ({ caller: { scope }, query: { days } }) => {
      const now = clock()
      await refreshShop(scope, now)
      return { body: await readFigures(scope, Number(days), now) }
    },
  }),
]
