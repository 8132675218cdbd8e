// The home page: what needs the merchant, and what happened.
import { z } from 'zod'
import { storedMessage } from '../../core/texts.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { messageText } from '../../http/schemas.ts'
import { METRICS, readFigures, readPoints, type Metric } from './model/figures.ts'
import { PERIODS, todayOf } from './model/tops.ts'
import { refreshShop } from './model/days.ts'
import { needText } from './model/need-texts.ts'
import { MAX_COUNTED, NEED_NAMES, readFirstSteps, readNeeds, type Need } from './model/needs.ts'

const count = z.number().int()
const attentionSchema = z
  .object({
    needs: z
      .array(
        z.object({
          need: z.enum(NEED_NAMES as [Need, ...Need[]]),
          count: count.describe(`Exact up to ${MAX_COUNTED}`),
          message: z.string(),
          message_text: messageText,
          cause: z
            .string()
            .nullable()
            .describe(
              'The code of the error, of failed and stopped imports: each cause is an entry',
            ),
          url: z.string().describe('The admin page where somebody can act'),
        }),
      )
      .describe('What waits for somebody, the most important first'),
    first_steps: z
      .object({
        imported: z.boolean(),
        mapped: z.boolean(),
        ordered: z.boolean(),
        downloaded: z.boolean(),
        branded: z.boolean(),
      })
      .describe('What has happened in the shop so far'),
  })
  .meta({ id: 'Attention' })

const FIGURES: Readonly<Record<Metric, string>> = {
  downloads: 'Downloads by buyers',
  orders: 'Orders with files, on the day of the order',
  deliveries: 'Deliveries that were created',
  imported_files: 'Files that imports brought',
  bounced_mails: 'Emails that could not be sent, or came back',
}
const totals = z.object(
  Object.fromEntries(
    METRICS.map((name) => [name, count.meta({ description: FIGURES[name] })]),
  ) as Record<Metric, typeof count>,
)
const figuresSchema = z
  .object({
    days: z.array(totals.extend({ day: z.iso.date() })).describe('Oldest first, in UTC'),
    totals: z
      .object({ now: totals, before: totals })
      .describe('Of the period, and of the equally long one before it'),
    top_files: z.array(z.object({ file_id: z.string(), filename: z.string(), downloads: count })),
    top_products: z.array(
      z.object({ product_id: z.string(), title: z.string(), downloads: count }),
    ),
    storage: z.array(z.object({ extension: z.string(), files: count, bytes: count })),
    imports: z.array(z.object({ channel: z.string(), imports: count, files: count })),
    failures: z.array(z.object({ code: z.string(), message: z.string(), files: count })),
  })
  .meta({ id: 'Figures' })

const endpoint = endpointsOf({ tag: 'Home', scope: 'operations:read' })

const daysQuery = z
  .enum(PERIODS.map(String) as [string, ...string[]])
  .default('30')
  .describe('Days, today included')

const statsSchema = z
  .object({
    points: z
      .array(
        z.object({
          day: z.iso.date(),
          value: count,
          before: count.describe('Of the same day in the equally long period before'),
        }),
      )
      .describe('Each day of the period, oldest first, in UTC'),
    total: count,
  })
  .meta({ id: 'Stats' })

interface HomeParts {
  baseUrl: string
  clock: () => Date
}

export const homeRoutes = ({ baseUrl, clock }: HomeParts): Endpoint[] => [
  endpoint('GET /api/attention', {
    summary: 'Read what needs the merchant, and the first steps of the shop',
    replies: { 200: { description: 'The counts', schema: attentionSchema } },
    handler: async ({ caller: { scope } }) => {
      const [needs, first_steps] = await Promise.all([readNeeds(scope), readFirstSteps(scope)])
      const found = needs.map(({ page, ...one }) => ({
        ...one,
        ...storedMessage(needText(one)),
        url: baseUrl + page,
      }))
      return { body: { needs: found, first_steps } }
    },
  }),
  endpoint('GET /api/stats', {
    summary: 'Read one figure of each of the last days',
    query: z.strictObject({ metric: z.enum(METRICS), days: daysQuery }),
    replies: { 200: { description: 'The days and their sum', schema: statsSchema } },
    handler: async ({ caller: { scope }, query: { metric, days } }) => {
      const now = clock()
      await refreshShop(scope, now, metric)
      const points = await readPoints(scope, metric, {
        days: Number(days),
        today: await todayOf(scope, now),
      })
      return { body: { points, total: points.reduce((sum, { value }) => sum + value, 0) } }
    },
  }),
  endpoint('GET /api/home/figures', {
    summary: 'Read downloads, deliveries and imports of the last days',
    description:
      'Downloads are current; the other figures are counted again when they are read, earlier days of imported orders once an hour. In a shop with very many downloads the top files and products are counted once an hour.',
    query: z.strictObject({
      days: daysQuery,
    }),
    replies: { 200: { description: 'The figures', schema: figuresSchema } },
    handler: async ({ caller: { scope }, query: { days } }) => {
      const now = clock()
      await refreshShop(scope, now)
      const period = { days: Number(days), today: await todayOf(scope, now) }
      return { body: await readFigures(scope, period) }
    },
  }),
]
