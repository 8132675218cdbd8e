// Where the stand-in keeps its orders: in the database, so that they outlive a restart and every
// process of the installation sees the same ones. Without a database, in memory.
import type { Database } from '../../../db/database.ts'
import type { DemoOrder } from './order.ts'

export interface OrderStore {
  /** A number for a new order. */
  nextId(): Promise<number>
  get(ids: readonly number[]): Promise<readonly DemoOrder[]>
  add(order: DemoOrder): Promise<void>
  /** Changes an order, one change after another. Null: there is no such order. */
  change<T>(
    id: number,
    change: (order: DemoOrder) => T,
  ): Promise<{ order: DemoOrder; result: T } | null>
  /** Changed since then, oldest change first. */
  changedSince(since: Date, after: number, limit: number): Promise<readonly DemoOrder[]>
}

const FIRST = 1001

export function memoryOrders(): OrderStore {
  const orders = new Map<number, DemoOrder>()
  let last = FIRST - 1
  const copy = (order: DemoOrder) => structuredClone(order)
  return {
    nextId: () => Promise.resolve(++last),
    get: (ids) =>
      Promise.resolve(ids.flatMap((id) => (orders.has(id) ? [copy(orders.get(id)!)] : []))),
    add: (order) => Promise.resolve(void orders.set(order.id, copy(order))),
    change: async (id, change) => {
      const there = orders.get(id)
      if (!there) return null
      const order = copy(there)
      const result = change(order)
      orders.set(id, order)
      return { order: copy(order), result }
    },
    changedSince: (since, after, limit) => {
      const found = [...orders.values()].filter(
        ({ updatedAt, id }) => new Date(updatedAt) >= since && id > after,
      )
      return Promise.resolve(
        found
          .sort((a, b) => a.id - b.id)
          .slice(0, limit)
          .map(copy),
      )
    },
  }
}

export function databaseOrders({ knex }: Pick<Database, 'knex'>, shop: number): OrderStore {
  const read = async (sql: string, bindings: object) => {
    const { rows } = await knex.raw<{ rows: { data: DemoOrder }[] }>(sql, { shop, ...bindings })
    return rows.map(({ data }) => data)
  }
  const write = `update demo_orders set data = :data, updated_at = :at where shop_id = :shop and id = :id`
  return {
    nextId: async () => {
      const { rows } = await knex.raw<{ rows: { id: number }[] }>(
        `select nextval('demo_order_numbers') as id`,
      )
      return rows[0]!.id
    },
    get: (ids) =>
      read('select data from demo_orders where shop_id = :shop and id = any(:ids::bigint[])', {
        ids,
      }),
    add: async (order) => {
      await knex.raw(
        'insert into demo_orders (shop_id, id, data, updated_at) values (:shop, :id, :data, :at)',
        { shop, id: order.id, data: JSON.stringify(order), at: order.updatedAt },
      )
    },
    change: (id, change) =>
      knex.transaction(async (trx) => {
        const { rows } = await trx.raw<{ rows: { data: DemoOrder }[] }>(
          'select data from demo_orders where shop_id = :shop and id = :id for update',
          { shop, id },
        )
        const order = rows[0]?.data
        if (!order) return null
        const result = change(order)
        const data = JSON.stringify(order)
        await trx.raw(write, { shop, id, data, at: order.updatedAt })
        return { order, result }
      }),
    changedSince: (since, after, limit) =>
      read(
        `select data from demo_orders where shop_id = :shop and updated_at >= :since and id > :after
         order by id limit :limit`,
        { since, after, limit },
      ),
  }
}
