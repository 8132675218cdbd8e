// Turns of the hourly sweeps: each shop once a day, in the hour that its number gives. The last hour
// of each sweep is kept, so that a run that lasts longer than an hour, a stopped worker or a failed
// sweep skips no shop.
import { firstOf } from './lazy.ts'
import type { Database } from './db/database.ts'

const HOUR_MS = 60 * 60 * 1000
const HOURS = 24

/** The hours whose shops a sweep takes now. */
export interface Turn {
  /** Hours of the day in UTC; empty: it has run in this hour. */
  hours: number[]
  /** A month has begun since the last turn. */
  startsMonth: boolean
}

/** The hours after the last turn until `now`, at most a day. Without a last turn: the present hour. */
export function turnSince(last: Date | null, now: Date): Turn {
  const present = Math.floor(now.getTime() / HOUR_MS)
  const done = last ? Math.floor(last.getTime() / HOUR_MS) : present - 1
  const first = Math.max(done + 1, present - HOURS + 1)
  const hours = Array.from({ length: Math.max(0, present - first + 1) }, (_, at) => first + at)
  const isFirst = (hour: number) => {
    const at = new Date(hour * HOUR_MS)
    return at.getUTCDate() === 1 && at.getUTCHours() === 0
  }
  return {
    hours: hours.map((hour) => hour % HOURS),
    startsMonth: hours.some(isFirst) || (last !== null && monthOf(last) < monthOf(now)),
  }
}

const monthOf = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth()

/**
 * Runs a sweep for the shops whose turn it is. The turn is noted when `run` has resolved; after an
 * error the next run takes its shops too.
 * @param run `turn`: for a sweep that takes all shops at times
 */
export async function sweepInTurn<Result>(
  pool: Database['pool'],
  sweep: string,
  now: Date,
  run: (shops: number[], turn: Turn) => Promise<Result>,
): Promise<Result> {
  const last = await pool.query<{ hour: Date }>('select hour from sweep_turns where sweep = $1', [
    sweep,
  ])
  const turn = turnSince(last.rows[0]?.hour ?? null, now)
  const { rows } = await pool.query<{ id: number }>(
    `select id from shops where id % ${HOURS} = any($1::int[]) order by id`,
    [turn.hours],
  )
  const result = await run(
    rows.map(({ id }) => id),
    turn,
  )
  await pool.query(
    `insert into sweep_turns as t (sweep, hour) values ($1, $2)
     on conflict (sweep) do update set hour = greatest(t.hour, excluded.hour)`,
    [sweep, now],
  )
  return result
}

/** Up to this many blobs all shops are swept each hour. */
const FEW_BLOBS = 100_000

/**
 * As `sweepInTurn`, for sweeps that read every blob. They get undefined for all shops: in small
 * installations, and in the first turn of a month, which also finds bytes of shops that are gone.
 * The number of blobs is PostgreSQL's estimate.
 */
export async function sweepBlobsInTurn<Result>(
  pool: Database['pool'],
  sweep: string,
  now: Date,
  run: (shops: number[] | undefined) => Promise<Result>,
  few = FEW_BLOBS,
): Promise<Result> {
  const { rows } = await pool.query<{ blobs: number }>(
    `select reltuples::float8 as blobs from pg_class where oid = 'blob_locations'::regclass`,
  )
  const areFew = firstOf(rows).blobs <= few
  return sweepInTurn(pool, sweep, now, (shops, { startsMonth }) =>
    run(areFew || startsMonth ? undefined : shops),
  )
}
