// Stores the demo's orders: in the database, so that they survive a restart and every
// process of the installation sees the same ones. Without a database, in memory.
import type { Database } from '../../core/db/database.ts'
import type { DemoCustomer, DemoOrder } from './order.ts'
import { firstOf } from '../../core/lazy.ts'

export interface OrderStore {
  /** A number for a new order. */
  nextId(): Promise<number>
  get(ids: readonly number[]): Promise<readonly DemoOrder[]>
  add(order: DemoOrder): Promise<void>
  /** Changes an order; changes run one after another. Null: there is no such order. */
  change<T>(
    id: number,
    change: (order: DemoOrder) => T,
  ): Promise<{ order: DemoOrder; result: T } | null>
  /** Changes all of them together; each id is given once, and unknown ones are ignored. */
  changeAll(ids: readonly number[], change: (order: DemoOrder, at: number) => void): Promise<void>
  /** Orders that changed since then, oldest change first. */
  changedSince(since: Date, after: number, limit: number): Promise<readonly DemoOrder[]>
  /** Orders that were placed since then, with a greater id than `after`, by their ids. */
  placedSince(since: Date, after: number, limit: number): Promise<readonly DemoOrder[]>
  /** Those placed since then with one of these names or confirmation numbers. */
  named(names: readonly string[], since: Date): Promise<readonly DemoOrder[]>
  countPlaced(since: Date): Promise<number>
  /** The customers with these ids that have ever had tags. */
  customers(ids: readonly number[]): Promise<readonly DemoCustomer[]>
  setCustomer(customer: DemoCustomer): Promise<void>
  /** Customers that changed since then, with a greater id than `after`, by their ids. */
  customersSince(since: Date, after: number, limit: number): Promise<readonly DemoCustomer[]>
}

const FIRST = 1001

const spellings = (names: readonly string[]): string[] =>
  names.flatMap((name) => [name, name.toUpperCase()])

const isNamed =
  (names: readonly string[], since: Date) =>
  ({ name, confirmationNumber, createdAt }: DemoOrder): boolean =>
    new Date(createdAt) >= since &&
    spellings(names).some((one) => [name, confirmationNumber].includes(one))

export function memoryOrders(): OrderStore {
  const orders = new Map<number, DemoOrder>()
  const customers = new Map<number, DemoCustomer>()
  let last = FIRST - 1
  const copy = (order: DemoOrder) => structuredClone(order)
  const change = <T>(id: number, work: (order: DemoOrder) => T) => {
    const there = orders.get(id)
    if (!there) return null
    const order = copy(there)
    const result = work(order)
    orders.set(id, order)
    return { order: copy(order), result }
  }
  return {
    nextId: () => Promise.resolve(++last),
    get: (ids) => Promise.resolve(ids.flatMap((id) => orders.get(id) ?? []).map(copy)),
    add: (order) => Promise.resolve(void orders.set(order.id, copy(order))),
    // An error of `change` becomes a rejection.
    change: async (id, work) => Promise.resolve(change(id, work)),
    changeAll: (ids, work) => {
      ids.forEach((id, at) => change(id, (order) => work(order, at)))
      return Promise.resolve()
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
    placedSince: (since, after, limit) => {
      const found = [...orders.values()].filter(
        ({ createdAt, id }) => new Date(createdAt) >= since && id > after,
      )
      const first = found.toSorted((a, b) => a.id - b.id).slice(0, limit)
      return Promise.resolve(first.map(copy))
    },
    named: (names, since) =>
      Promise.resolve([...orders.values()].filter(isNamed(names, since)).map(copy)),
    customers: (ids) => Promise.resolve(ids.flatMap((id) => customers.get(id) ?? [])),
    setCustomer: (customer) => Promise.resolve(void customers.set(customer.id, customer)),
    customersSince: (since, after, limit) =>
      Promise.resolve(
        [...customers.values()]
          .filter(({ id, updatedAt }) => id > after && new Date(updatedAt) >= since)
          .toSorted((a, b) => a.id - b.id)
          .slice(0, limit),
      ),
    countPlaced: (since) =>
      Promise.resolve(
        [...orders.values()].filter(({ createdAt }) => new Date(createdAt) >= since).length,
      ),
  }
}

export const databaseOrders = (database: Pick<Database, 'knex'>, shop: number): OrderStore =>
  new DatabaseOrders(database.knex, shop)

class DatabaseOrders implements OrderStore {
  readonly #knex: Database['knex']
  readonly #shop: number

  constructor(knex: Database['knex'], shop: number) {
    this.#knex = knex
    this.#shop = shop
  }

  async nextId(): Promise<number> {
    const sql = `select nextval('demo_order_numbers') as id`
    const { rows } = await this.#knex.raw<{ rows: { id: number }[] }>(sql)
    return firstOf(rows).id
  }

  get(ids: readonly number[]): Promise<readonly DemoOrder[]> {
    const sql = 'select data from demo_orders where shop_id = :shop and id = any(:ids::bigint[])'
    return this.#read(sql, { ids })
  }

  async add(order: DemoOrder): Promise<void> {
    await this.#knex.raw(
      'insert into demo_orders (shop_id, id, data, updated_at) values (:shop, :id, :data, :at)',
      { shop: this.#shop, id: order.id, data: JSON.stringify(order), at: order.updatedAt },
    )
  }

  async change<T>(
    id: number,
    work: (order: DemoOrder) => T,
  ): Promise<{ order: DemoOrder; result: T } | null> {
    while (true) {
      const [order] = await this.get([id])
      if (!order) return null
      const before = order.updatedAt
      const result = work(order)
      if ((await this.#write([{ before, order }])).has(id)) return { order, result }
    }
  }

  async changeAll(
    ids: readonly number[],
    work: (order: DemoOrder, at: number) => void,
  ): Promise<void> {
    const orders = (await this.get(ids)).map((order) => ({ before: order.updatedAt, order }))
    for (const { order } of orders) work(order, ids.indexOf(order.id))
    const written = await this.#write(orders)
    for (const { order } of orders)
      if (!written.has(order.id))
        await this.change(order.id, (one) => work(one, ids.indexOf(one.id)))
  }

  changedSince(since: Date, after: number, limit: number): Promise<readonly DemoOrder[]> {
    return this.#read(
      `select data from demo_orders where shop_id = :shop and updated_at >= :since and id > :after
       order by id limit :limit`,
      { since, after, limit },
    )
  }

  placedSince(since: Date, after: number, limit: number): Promise<readonly DemoOrder[]> {
    return this.#read(
      `select data from demo_orders where shop_id = :shop and id > :after
         and (data ->> 'createdAt')::timestamptz >= :since
       order by id limit :limit`,
      { since, after, limit },
    )
  }

  named(names: readonly string[], since: Date): Promise<readonly DemoOrder[]> {
    return this.#read(
      `select data from demo_orders where shop_id = :shop
         and (data ->> 'createdAt')::timestamptz >= :since
         and (data ->> 'name' = any(:names::text[])
           or data ->> 'confirmationNumber' = any(:names::text[]))
       order by id`,
      { since, names: spellings(names) },
    )
  }

  async countPlaced(since: Date): Promise<number> {
    const { rows } = await this.#knex.raw<{ rows: { count: number }[] }>(
      `select count(*)::int as count from demo_orders where shop_id = :shop
         and (data ->> 'createdAt')::timestamptz >= :since`,
      { shop: this.#shop, since },
    )
    return firstOf(rows).count
  }

  customers(ids: readonly number[]): Promise<readonly DemoCustomer[]> {
    return this.#readCustomers('id = any(:ids::bigint[])', { ids })
  }

  customersSince(since: Date, after: number, limit: number): Promise<readonly DemoCustomer[]> {
    return this.#readCustomers('updated_at >= :since and id > :after order by id limit :limit', {
      since,
      after,
      limit,
    })
  }

  async setCustomer({ id, tags, updatedAt }: DemoCustomer): Promise<void> {
    await this.#knex.raw(
      `insert into demo_customers (shop_id, id, tags, updated_at) values (:shop, :id, :tags, :at)
       on conflict (shop_id, id) do update set (tags, updated_at) = (excluded.tags, excluded.updated_at)`,
      { shop: this.#shop, id, tags: [...tags], at: updatedAt },
    )
  }

  async #readCustomers(where: string, bindings: object): Promise<readonly DemoCustomer[]> {
    const { rows } = await this.#knex.raw<{
      rows: { id: number; tags: string[]; updated_at: Date }[]
    }>(`select id, tags, updated_at from demo_customers where shop_id = :shop and ${where}`, {
      shop: this.#shop,
      ...bindings,
    })
    return rows.map(({ id, tags, updated_at }) => ({
      id,
      tags,
      updatedAt: updated_at.toISOString(),
    }))
  }

  async #read(sql: string, bindings: object): Promise<readonly DemoOrder[]> {
    const given = { shop: this.#shop, ...bindings }
    const { rows } = await this.#knex.raw<{ rows: { data: DemoOrder }[] }>(sql, given)
    return rows.map(({ data }) => data)
  }

  /** Writes the orders that are unchanged since they were read; returns their ids. */
  async #write(
    changed: readonly { before: string; order: DemoOrder }[],
  ): Promise<ReadonlySet<number>> {
    const { rows } = await this.#knex.raw<{ rows: { id: number }[] }>(
      `update demo_orders o set data = g.data::jsonb, updated_at = g.at
       from unnest(:ids::bigint[], :before::timestamptz[], :data::text[], :at::timestamptz[])
         as g (id, before, data, at)
       where o.shop_id = :shop and o.id = g.id and o.updated_at = g.before returning o.id`,
      {
        shop: this.#shop,
        ids: changed.map(({ order }) => order.id),
        before: changed.map(({ before }) => before),
        data: changed.map(({ order }) => JSON.stringify(order)),
        at: changed.map(({ order }) => order.updatedAt),
      },
    )
    return new Set(rows.map(({ id }) => id))
  }
}
