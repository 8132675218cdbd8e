// The weekly email to shops that want it: what happened from Monday to Sunday, and what needs them.
// It is sent on Monday morning in the shop's time zone, once: its key in the outbox is the week.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { readShop } from '../../files/shop-settings.ts'
import { readFigures } from './model/figures.ts'
import { needText } from './model/need-texts.ts'
import { readNeeds } from './model/needs.ts'
import type { RefreshParts } from './refresh-task.ts'

const EVERY_MS = 30 * 60 * 1000
const HOUR = 8
const DAYS = 7
const DAY_MS = 86_400_000
const MAX_LISTED = 5

export const weeklySummaryTask = ({ database, clock }: RefreshParts): BackgroundTask => ({
  name: 'weekly-summary',
  concurrency: 1,
  run: async ({ signal }) => {
    await sendSummaries(database, clock(), signal)
    return EVERY_MS
  },
})

/** Queues the emails that are due. One run of the worker. */
export async function sendSummaries(
  database: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await database.pool.query<{ id: number; time_zone: string | null }>(
    `select id, settings ->> 'time_zone' as time_zone from shops
     where uninstalled_at is null and settings -> 'weekly_summary' = 'true' order by id`,
  )
  for (const { id, time_zone } of rows) {
    signal.throwIfAborted()
    const monday = mondayMorning(now, time_zone ?? 'UTC')
    if (monday !== null) await sendSummary(forShop(database, id), monday)
  }
}

/** The day, such as `2026-11-30`, if it is Monday from 8 o'clock on in the time zone. */
function mondayMorning(now: Date, timeZone: string): string | null {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((one) => one.type === type)?.value ?? ''
  if (part('weekday') !== 'Mon' || Number(part('hour')) < HOUR) return null
  return `${part('year')}-${part('month')}-${part('day')}`
}

async function sendSummary(scope: ShopScope, monday: string): Promise<void> {
  const { name, settings } = await readShop(scope)
  if (settings.recipients.length === 0) return
  const key = `weekly-summary/${monday}`
  const sent = await scope.query(
    `select from outbox where shop_id = :shop and key = :key and kind = 'email'`,
    { key },
  )
  if (sent.length > 0) return
  const sunday = new Date(Date.parse(monday) - DAY_MS).toISOString().slice(0, 10)
  const [figures, needs] = await Promise.all([
    readFigures(scope, { days: DAYS, today: sunday }),
    readNeeds(scope),
  ])
  const data = {
    shop: { name },
    from: new Date(Date.parse(monday) - DAYS * DAY_MS).toISOString().slice(0, 10),
    to: sunday,
    ...figures.totals,
    top_files: figures.top_files.slice(0, MAX_LISTED),
    needs: needs.map((one) => ({ text: needText(one), page: one.page })),
  }
  await scope.transaction(async (tx) => {
    const [message] = (await tx
      .insert('outbox', {
        key,
        kind: 'email',
        payload: JSON.stringify({ template: 'weekly-summary', data }),
      })
      .onConflict()
      .ignore()
      .returning('id')) as { id: string }[]
    if (message) await queueMessage(tx, message.id)
  })
}
