// Rows that an earlier release wrote, as the migrations correct them.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import * as previewEnds from '../../migrations/0046_preview-ends.ts'
import * as reasons from '../../migrations/0047_items-have-reasons.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'

test('items without a reason get one, and discarded previews count nothing as done', async () => {
  const database = await openTestDatabase()
  const { knex, pool } = database
  try {
    const shop = await createTestShop(database)
    await reasons.down(knex)
    await previewEnds.down(knex)
    const operation = async (status: string, preview: boolean, stopped: object | null = null) => {
      const id = randomUUID()
      await pool.query(
        `insert into operations (shop_id, id, kind, action, channel, workflow, requested_by, total, done, status, preview,
           stopped)
         values ($1, $2, 'bulk', 'test', 'api', '{}', 'test', 3, 3, $3, $4, $5)`,
        [shop, id, status, preview, stopped && JSON.stringify(stopped)],
      )
      await pool.query(
        `insert into items (shop_id, operation_id, position, status, finished_at) values
           ($1, $2, 0, 'failed', '2026-01-02T03:04:05Z'), ($1, $2, 1, 'skipped', null), ($1, $2, 2, 'cancelled', null)`,
        [shop, id],
      )
      return id
    }
    const stopped = await operation('failed', false, { step: 'merge', code: 'not_a_pdf', message: 'No PDF' })
    const discarded = await operation('cancelled', true)
    await previewEnds.up(knex)
    await reasons.up(knex)
    const codes = async (id: string) =>
      (
        await pool.query<{ code: string }>(
          `select error ->> 'code' as code from items where operation_id = $1 order by position`,
          [id],
        )
      ).rows.map(({ code }) => code)
    expect(await codes(stopped)).toEqual(['not_a_pdf', 'skipped', 'operation_stopped'])
    expect(await codes(discarded)).toEqual(['plugin_failed', 'skipped', 'operation_cancelled'])
    const { rows } = await pool.query(
      'select done, cancelled, previewed_at from operations where id = any($1) order by done',
      [[stopped, discarded]],
    )
    expect(rows).toEqual([
      { done: 0, cancelled: 3, previewed_at: new Date('2026-01-02T03:04:05Z') },
      { done: 3, cancelled: 0, previewed_at: null },
    ])
  } finally {
    await database.close()
  }
})
