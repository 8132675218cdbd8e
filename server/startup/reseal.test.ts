// Every sealed value is opened with the new secret alone after it was sealed again.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { fillEveryTable } from '../../test/every-table.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { keepLinkKeys, openSecrets } from '../core/db/server-keys.ts'
import { createSecrets, hashKey } from '../core/secrets.ts'
import type { SealedPlace } from '../core/sealed-place.ts'
import { resealAll, type ResealState, SEALED_PLACES } from './reseal.ts'

const BEFORE = 'the secret that was used before, long'
const AFTER = 'the secret that is used now, as long'
const SERVER = path.resolve(import.meta.dirname, '..')

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())

const { signal } = new AbortController()
const reseal = (progress: (state: ResealState) => void = () => {}, stop = signal) =>
  resealAll({
    pool: database.pool,
    signal: stop,
    progress,
    secrets: createSecrets(AFTER, { previous: [BEFORE] }),
  })

const old = createSecrets(BEFORE)
const nameOf = ({ table, column }: SealedPlace) => `${table}.${column}`

test('every module that seals values is in the list of places', async () => {
  const files = (await readdir(SERVER, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const features = files.filter((name) => name.endsWith('/feature.ts'))
  const lists = ['startup/reseal.ts', ...features]
  const imported: string[] = []
  for (const list of lists) {
    const source = await readFile(path.join(SERVER, list), 'utf8')
    for (const [, from = ''] of source.matchAll(
      /^import \{[^}]*\b[a-z]\w*Place\b[^}]*\} from '(.*)'/gm,
    ))
      imported.push(path.join(path.dirname(list), from))
  }
  const sealing: string[] = []
  for (const file of files) {
    const source = await readFile(path.join(SERVER, file), 'utf8')
    if (/ecrets\.seal\(/.test(source)) sealing.push(file)
  }
  // Several columns may share the context of one module.
  expect(sealing.length).toBe(new Set(imported).size)
  expect(sealing.filter((file) => !imported.includes(file))).toEqual([])
})

test('values in every place are sealed again, beside rows of other secrets, and only once', async () => {
  const { pool } = database
  const shop = await createTestShop(database)
  await fillEveryTable(pool, shop)
  await openSecrets(pool, BEFORE, [])
  await pool.query(`insert into drop_secrets (name, sealed) values ('host-key', '')`)
  const contents = new Map<string, string>()
  for (const place of SEALED_PLACES) {
    const { table, column, name, global } = place
    const { rows } = await pool.query<{ place: string; name: string }>(
      `select ctid::text as place, ${name ? `${name}::text` : `''`} as name from ${table}`,
    )
    expect(rows.length, nameOf(place)).toBeGreaterThan(0)
    for (const row of rows) {
      if (global && row.name === 'lookup') continue
      const content = `${nameOf(place)} ${'x'.repeat(2000)}`
      contents.set(nameOf(place), content)
      const sealed = old.seal(content, place.about({ shop, name: row.name }))
      await pool.query(`update ${table} set ${column} = $1 where ctid = $2::tid`, [
        stored(place, sealed),
        row.place,
      ])
    }
  }
  // A value of a secret that nobody has any more.
  const stranger = createSecrets('a secret that was lost a long time ago')
  await pool.query(`insert into drop_secrets (name, sealed) values ('lost', $1)`, [
    stranger.seal('lost', 'drop_secrets.lost'),
  ])

  const state = await reseal()
  expect(state.unreadable).toBe(1)
  expect(state.resealed).toBeGreaterThanOrEqual(SEALED_PLACES.length)
  expect((await reseal()).resealed).toBe(0)

  const now = createSecrets(AFTER)
  for (const place of SEALED_PLACES) {
    const { table, column, name } = place
    const { rows } = await pool.query<{ name: string; value: Buffer | string }>(
      `select ${name ? `${name}::text` : `''`} as name,
         ${column}${place.format === 'json' ? '::text' : ''} as value
       from ${table} where ${column} is not null ${name ? `and ${name}::text not in ('lookup', 'lost')` : ''}`,
    )
    for (const row of rows)
      expect(now.open(sealedIn(place, row.value), place.about({ shop, name: row.name }))).toBe(
        contents.get(nameOf(place)),
      )
  }
})

/** As the column contains it. */
function stored({ format, column }: SealedPlace, sealed: Buffer): Buffer | string {
  if (format === 'bytes') return sealed
  const text = sealed.toString('base64')
  if (format === 'text') return text
  const key = column === 'request' ? 'callback_sealed' : 'sealed'
  return JSON.stringify({ url: 'https://example.com', steps: [{ [key]: text, n: 1.5 }] })
}

function sealedIn({ format }: SealedPlace, value: Buffer | string): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (format === 'text') return Buffer.from(value, 'base64')
  const found = /sealed":\s*"([^"]+)"/.exec(value)
  return Buffer.from(found?.[1] ?? '', 'base64')
}

soakTest('an interrupted run is continued, and seals each value once', async () => {
  const { pool } = database
  await pool.query('delete from drop_secrets')
  const count = 3000
  const names = Array.from({ length: count }, (_, n) => `key-${n}`)
  await pool.query(
    'insert into drop_secrets (name, sealed) select * from unnest($1::text[], $2::bytea[])',
    [names, names.map((name) => old.seal('a secret', `drop_secrets.${name}`))],
  )
  const stop = new AbortController()
  let first = 0
  const interrupted = reseal((state) => {
    first = state.resealed
    if (first > 0) stop.abort(new Error('interrupted'))
  }, stop.signal)
  await expect(interrupted).rejects.toThrow('interrupted')
  expect(first).toBeGreaterThan(0)
  expect(first).toBeLessThan(count)
  expect((await reseal()).resealed).toBe(count - first)
})

test('keys of links are kept when the previous secret is removed; lookups stay the same', async () => {
  const other = await openTestDatabase()
  try {
    const { pool } = other
    const before = await openSecrets(pool, BEFORE, [])
    const key = before.linkKey('link', 0)
    const both = await openSecrets(pool, AFTER, [BEFORE])
    expect(both.lookupKey('licence-keys')).toEqual(before.lookupKey('licence-keys'))
    await keepLinkKeys(pool, both, [BEFORE])
    await resealAll({ pool, secrets: both, signal, progress: () => {} })
    const after = await openSecrets(pool, AFTER, [])
    expect(after.linkKey('link', 0, hashKey(key))).toBe(key)
    expect(after.linkKey('link', 1)).toBe(both.linkKey('link', 1))
    expect(after.lookupKey('licence-keys')).toEqual(before.lookupKey('licence-keys'))
    // A second change keeps the keys of both.
    const third = 'the third secret of this server, long'
    const next = await openSecrets(pool, third, [AFTER])
    const second = after.linkKey('other', 0)
    await keepLinkKeys(pool, next, [AFTER])
    await resealAll({ pool, secrets: next, signal, progress: () => {} })
    const last = await openSecrets(pool, third, [])
    expect(last.linkKey('link', 0, hashKey(key))).toBe(key)
    expect(last.linkKey('other', 0, hashKey(second))).toBe(second)
  } finally {
    await other.drop()
  }
})
