// Seals every value again that was sealed with a previous secret, beside running processes. Values
// that are sealed with the current secret are skipped, so an interrupted run is continued by
// starting it again.
import type { Database } from '../core/db/database.ts'
import { SEAL_HEAD_BYTES, type Secrets } from '../core/secrets.ts'
import type { SealedPlace, SealedRow } from '../core/sealed-place.ts'
import { replyPlace } from '../core/db/sealed-replies.ts'
import { serverKeyPlace } from '../core/db/server-keys.ts'
import { addressPlace } from '../core/client-address.ts'
import { optionsPlace } from '../engine/sealed.ts'
import { FEATURES } from '../features.ts'
import { tokenPlace } from '../storefront/shop-tokens.ts'

export interface ResealParts {
  pool: Database['pool']
  secrets: Pick<Secrets, 'reseal'>
  signal: AbortSignal
  progress(state: ResealState): void
}

export interface ResealState {
  /** Values that were looked at, in all passes. */
  seen: number
  resealed: number
  /** Values that no configured secret opens: they are left as they are. */
  unreadable: number
}

/** Rows are read by their place on the disk: this many blocks of 8 KB at a time. */
const BLOCKS = 128
const BLOCK_BYTES = 8192
/** Rows of one statement: other processes wait for it if they change the same rows. */
const WRITTEN = 1000
/** A row that others change moves on the disk, and may be missed: only an empty pass is the end. */
const MAX_PASSES = 20

/** Throws the reason of `signal`, and if others keep changing the rows. */
export async function resealAll(parts: ResealParts): Promise<ResealState> {
  const state: ResealState = { seen: 0, resealed: 0, unreadable: 0 }
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = state.resealed
    state.unreadable = 0
    let isMissed = false
    for (const place of SEALED_PLACES)
      isMissed = (await resealPlace(parts, place, state)) || isMissed
    if (state.resealed === before && !isMissed) return state
  }
  throw new Error('Values are still being sealed with a previous secret: restart all processes.')
}

/** Returns whether a row was changed by others in the meantime. */
async function resealPlace(
  parts: ResealParts,
  place: SealedPlace,
  state: ResealState,
): Promise<boolean> {
  let isMissed = false
  for (const table of await partsOf(parts.pool, place.table))
    isMissed = (await resealTable(parts, { ...place, table }, state)) || isMissed
  return isMissed
}

/** The table itself, or its months: rows of two months may have the same place on the disk. */
async function partsOf(pool: Database['pool'], table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass',
    [table],
  )
  return rows.length > 0 ? rows.map(({ name }) => name) : [table]
}

async function resealTable(
  { pool, secrets, signal, progress }: ResealParts,
  place: SealedPlace,
  state: ResealState,
): Promise<boolean> {
  let isMissed = false
  for (let from = 0; from < (await blocksOf(pool, place.table)); from += BLOCKS) {
    signal.throwIfAborted()
    const rows = await readRows(pool, place, from)
    const changes = rows.flatMap((row) => {
      state.seen++
      const value = resealValue(secrets, place, row, state)
      return value === null ? [] : [{ ...row, value }]
    })
    for (let at = 0; at < changes.length; at += WRITTEN) {
      const some = changes.slice(at, at + WRITTEN)
      const written = await writeRows(pool, place, some)
      state.resealed += written
      isMissed ||= written < some.length
      progress(state)
      signal.throwIfAborted()
    }
    progress(state)
  }
  return isMissed
}

async function blocksOf(pool: Database['pool'], table: string): Promise<number> {
  const { rows } = await pool.query<{ blocks: number }>(
    `select pg_relation_size($1::regclass) / ${BLOCK_BYTES} as blocks`,
    [table],
  )
  return rows[0]?.blocks ?? 0
}

/** A value as it is read: of bytes only the head, because the rest does not depend on the secret. */
type Value = Buffer | string
interface ReadRow extends SealedRow {
  place: string
  found: Value
}

const HEAD = (column: string) => `substring(${column} for ${SEAL_HEAD_BYTES})`
const isBytes = ({ format }: SealedPlace) => format === 'bytes'
const valueOf = (place: SealedPlace) =>
  isBytes(place) ? HEAD(place.column) : `${place.column}::text`

async function readRows(
  pool: Database['pool'],
  place: SealedPlace,
  from: number,
): Promise<ReadRow[]> {
  const { table, column, name, global, format } = place
  const { rows } = await pool.query<ReadRow>(
    `select ctid::text as place, ${global ? '0' : 'shop_id'} as shop,
       ${name ? `${name}::text` : `''`} as name, ${valueOf(place)} as found
     from ${table}
     where ctid >= '(${from},0)'::tid and ctid < '(${from + BLOCKS},0)'::tid
       and ${column} is not null
       ${format === 'json' ? `and ${column}::text like '%sealed": "%'` : ''}`,
  )
  return rows
}

async function writeRows(
  pool: Database['pool'],
  place: SealedPlace,
  changes: readonly (ReadRow & { value: Value })[],
): Promise<number> {
  const { table, column, format } = place
  const type = isBytes(place) ? 'bytea' : 'text'
  const set = isBytes(place)
    ? `c.value || substring(t.${column} from ${SEAL_HEAD_BYTES + 1})`
    : `c.value::${format === 'json' ? 'jsonb' : 'text'}`
  const { rowCount } = await pool.query(
    `update ${table} t set ${column} = ${set}
     from unnest($1::tid[], $2::${type}[], $3::${type}[]) as c (place, found, value)
     where t.ctid = c.place and ${valueOf({ ...place, column: `t.${column}` })} = c.found`,
    [
      changes.map((change) => change.place),
      changes.map(({ found }) => found),
      changes.map(({ value }) => value),
    ],
  )
  return rowCount ?? 0
}

/** Null: nothing is to be changed. */
function resealValue(
  secrets: ResealParts['secrets'],
  place: SealedPlace,
  row: ReadRow,
  state: ResealState,
): Value | null {
  const about = place.about(row)
  const again = (sealed: Buffer): Buffer | null => {
    try {
      return secrets.reseal(sealed, about)
    } catch {
      state.unreadable++
      return null
    }
  }
  const { found } = row
  if (Buffer.isBuffer(found)) return again(found)
  const inBase64 = (text: string) => again(Buffer.from(text, 'base64'))?.toString('base64') ?? null
  if (place.format === 'text') return inBase64(found)
  let isChanged = false
  const json = JSON.stringify(JSON.parse(found), (key, value: unknown) => {
    if (!/(^|_)sealed$/.test(key) || typeof value !== 'string') return value
    const resealed = inBase64(value)
    isChanged ||= resealed !== null
    return resealed ?? value
  })
  return isChanged ? json : null
}

// Every column that contains sealed values: those of the layers, and those that features state.

const address = ({ shop }: SealedRow) => addressPlace(shop)

export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    table: 'server_keys',
    column: 'sealed',
    format: 'bytes',
    name: 'name',
    global: true,
    about: ({ name }) => serverKeyPlace(name),
  },
  ...['access_token', 'refresh_token'].map((column) => ({
    table: 'shop_tokens',
    column,
    format: 'bytes' as const,
    about: ({ shop }: SealedRow) => tokenPlace(shop, column),
  })),
  { table: 'idempotency_keys', column: 'reply', format: 'bytes', about: replyPlace },
  {
    table: 'operations',
    column: 'workflow',
    format: 'json',
    about: ({ shop }) => optionsPlace(shop),
  },
  { table: 'operations', column: 'request', format: 'json', about: address },
  { table: 'items', column: 'entry', format: 'json', about: address },
  { table: 'outbox', column: 'payload', format: 'json', about: address },
  ...FEATURES.flatMap(({ sealed }) => sealed ?? []),
]
