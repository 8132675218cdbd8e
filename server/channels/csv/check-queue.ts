// The line of checks: a merchant puts a file in it or takes it out, and workers take what is next. One check of a shop runs at a time,
// in the order in which they were asked for, so that no shop waits for the slow hosts of another.
import type { Database } from '../../db/database.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { requireOpen, type CheckOptions } from './uploads.ts'

export interface TakenCheck {
  shop_id: number
  id: string
  round: number
}

/** A worker that has not beaten for so long is dead. */
const SILENCE = '20 seconds'

/** Puts the file in line for a check. Throws `conflict` when its import has started. */
export async function queueCheck(scope: ShopScope, id: string, options: CheckOptions): Promise<void> {
  await scope.transaction(async (tx) => {
    await requireOpen(tx, id)
    await tx.query(
      `update csv_uploads set status = 'checking', round = round + 1, check_options = :options, progress = null,
         failure = null, beaten_at = null, attempts = 0, queued_at = now()
       where shop_id = :shop and id = :id`,
      { id, options: JSON.stringify(options) },
    )
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
  })
}

/**
 * Takes the file out of the line; a worker that is at it learns of it with its next beat. What is not being checked stays as it is.
 * Throws `conflict` when its import has started.
 */
export async function stopCheck(scope: ShopScope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const { status } = await requireOpen(tx, id)
    if (status !== 'checking') return
    await tx.query(
      `update csv_uploads set status = 'ready', round = round + 1, check_options = null, progress = null, failure = null,
         beaten_at = null
       where shop_id = :shop and id = :id`,
      { id },
    )
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
  })
}

/** The next check that nobody has, or whose holder is dead; under a new round, so that a holder thought dead writes nothing. */
export async function takeCheck(database: Database): Promise<TakenCheck | null> {
  const { rows } = await database.pool.query<TakenCheck>(
    `update csv_uploads set beaten_at = now(), round = round + 1, attempts = attempts + 1
     where (shop_id, id) in (
       select c.shop_id, c.id from csv_uploads c
       where c.status = 'checking' and (c.beaten_at is null or c.beaten_at < now() - interval '${SILENCE}')
         and not exists (select from csv_uploads o where o.shop_id = c.shop_id and o.status = 'checking'
           and (o.beaten_at >= now() - interval '${SILENCE}' or (o.queued_at, o.id) < (c.queued_at, c.id)))
       order by c.queued_at limit 1 for update of c skip locked)
     returning shop_id, id, round`,
  )
  return rows[0] ?? null
}
