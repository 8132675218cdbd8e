// The events that are raised while a webhook of the shop wants them, and what is written if none does.
import type { Database } from '../server/core/db/database.ts'
import type { ShopScope } from '../server/core/db/for-shop.ts'

/** Adds a webhook for one event; returns a function that reads the data of those raised since. */
export async function wantEvent(scope: ShopScope, event: string): Promise<() => Promise<object[]>> {
  await scope.insert('webhook_endpoints', {
    url: 'https://receiver.example/',
    secret: Buffer.alloc(32),
    events: [event],
  })
  return async () => {
    const rows = await scope.query<{ data: object }>(
      `select payload -> 'data' as data from outbox
       where shop_id = :shop and kind = 'webhook' and payload ->> 'type' = :event order by id`,
      { event },
    )
    return rows.map(({ data }) => data)
  }
}

/** How many statements of the work write events. */
export async function eventStatements(
  { knex }: Pick<Database, 'knex'>,
  work: () => Promise<unknown>,
): Promise<number> {
  let statements = 0
  const note = ({ sql }: { sql: string }) =>
    void (statements += sql.includes('trigger_events') ? 1 : 0)
  knex.on('query', note)
  try {
    await work()
  } finally {
    knex.removeListener('query', note)
  }
  return statements
}
