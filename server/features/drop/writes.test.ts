import { randomUUID } from 'node:crypto'
import type { QueryConfig } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { putFile, takeName } from './writes.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())

const ended = {
  hash: '07'.repeat(32),
  location: 'primary',
  size_bytes: 3,
  clean: false,
  modifiedAt: null,
  openSeconds: 0,
} as const

test.each(['takeName', 'putFile'])(
  '%s: a name whose import ends before the reason of the refusal is read is taken',
  async (how) => {
    const shop = await createTestShop(database, `${how.toLowerCase()}.myshopify.com`)
    const scope = forShop(database, shop)
    const claim = { shop, folder: '', name: 'a.txt', account: null, protocol: 'sftp' }
    const taking = { ...claim, mode: 'keep' as const, process: 1, writeId: randomUUID() }
    await takeName(database, taking)
    await scope.query(`update drop_entries set state = 'importing' where shop_id = :shop`)
    let refused = 0
    // The import ends between the first statement and the next one.
    const pool = {
      query: async (statement: QueryConfig) => {
        const answer = await database.pool.query(statement)
        if (answer.rows.length === 0) {
          refused++
          await scope.query(`delete from drop_entries where shop_id = :shop and kind = 'file'`)
        }
        return answer
      },
    }
    const racing = Object.create(database, { pool: { value: pool } }) as typeof database
    const { id } = await (how === 'takeName'
      ? takeName(racing, { ...taking, writeId: randomUUID() })
      : putFile(racing, { ...claim, ...ended }))
    expect(refused).toBe(1)
    expect(
      await scope.query(`select id from drop_entries where shop_id = :shop and kind = 'file'`),
    ).toEqual([{ id }])
  },
)
