import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { isRollback } from '../db/faults.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { changeFiles, type Change } from './changes.ts'
import { draftOfRecord } from './drafts.ts'
import { readRecords, type FileRecord } from './records.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let shops = 0
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(async () => {
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
})

async function live(...names: string[]): Promise<FileRecord[]> {
  const ids = await makeFiles(
    scope,
    names.map((filename) => ({ filename })),
  )
  const records = await readRecords(scope, ids)
  return ids.map((id) => records.get(id)!)
}
/** Made and deleted one after another, since they may have one name. */
async function trashed(...names: string[]): Promise<FileRecord[]> {
  const ids: string[] = []
  for (const name of names) {
    const [file] = await live(name)
    await scope.query('update files set deleted_at = now() where shop_id = :shop and id = :id', { id: file!.id })
    ids.push(file!.id)
  }
  const records = await readRecords(scope, ids)
  return ids.map((id) => records.get(id)!)
}
const restored = (record: FileRecord): Change => ({ record, draft: { ...draftOfRecord(record), deleted: false } })
const renamed = (record: FileRecord, filename: string): Change => ({
  record,
  draft: { ...draftOfRecord(record), filename },
})
const change = (...changes: Change[]) => scope.transaction((tx) => changeFiles(tx, changes))
const names = async () =>
  (
    await scope.query<{ filename: string }>(
      'select filename from files where shop_id = :shop and deleted_at is null order by name_key',
    )
  ).map(({ filename }) => filename)

describe('coming back from the trash', () => {
  it('keeps its name where that is free', async () => {
    await change(...(await trashed('guide.pdf')).map(restored))
    expect(await names()).toEqual(['guide.pdf'])
  })
  it('gets a number where the name was taken meanwhile, whatever its case, and says so', async () => {
    const [old] = await trashed('Guide.pdf')
    await live('guide.PDF')
    expect(await change(restored(old!))).toMatchObject([
      {
        ledger: {
          before: { filename: 'Guide.pdf', deleted: true },
          after: { filename: 'Guide (2).pdf', deleted: false },
        },
      },
    ])
    expect(await names()).toEqual(['Guide (2).pdf', 'guide.PDF'])
  })
  it('gets the next number that is free', async () => {
    const [old] = await trashed('guide.pdf')
    await live('guide.pdf', ...Array.from({ length: 24 }, (_, n) => `GUIDE (${n + 2}).pdf`))
    await change(restored(old!))
    expect(await names()).toContain('guide (26).pdf')
  })
  it('two of one name, together', async () => {
    const old = await trashed('guide.pdf', 'guide.pdf', 'GUIDE.pdf')
    await change(...old.map(restored))
    expect(await names()).toEqual(['guide (2).pdf', 'GUIDE (3).pdf', 'guide.pdf'])
  })
  it('two of one name, one after the other', async () => {
    const [one, two] = await trashed('guide.pdf', 'guide.pdf')
    await change(restored(one!))
    await change(restored(two!))
    expect(await names()).toEqual(['guide (2).pdf', 'guide.pdf'])
  })
  it('a name of 255 characters is cut for its number, not its ending', async () => {
    const name = `${'x'.repeat(251)}.pdf`
    const old = await trashed(name, name)
    await change(...old.map(restored))
    expect(await names()).toEqual([`${'x'.repeat(247)} (2).pdf`, name])
  })
  it('names in the trash take no name from anyone', async () => {
    await trashed('guide.pdf')
    const [other] = await live('other.pdf')
    await change(renamed(other!, 'guide.pdf'))
    expect(await names()).toEqual(['guide.pdf'])
  })
})

describe('a new name', () => {
  it('that is taken is refused, in the specification’s words, and nothing else of the change is made', async () => {
    const [a] = await live('a.pdf', 'b.pdf')
    const wanted = renamed(a!, 'B.PDF')
    wanted.draft.cdn = false
    expect(await change(wanted)).toEqual([
      { status: 'refused', code: 'duplicate_filename', message: 'Duplicate filename' },
    ])
    expect((await readRecords(scope, [a!.id])).get(a!.id)).toEqual(a)
  })
  it('may be its own in another case', async () => {
    const [a] = await live('a.pdf')
    await change(renamed(a!, 'A.pdf'))
    expect(await names()).toEqual(['A.pdf'])
  })
  it('is the first one’s where two want it', async () => {
    const [a, b] = await live('a.pdf', 'b.pdf')
    const results = await change(renamed(a!, 'new.pdf'), renamed(b!, 'NEW.pdf'))
    expect(results.map(({ status }) => status)).toEqual(['changed', 'refused'])
    expect(await names()).toEqual(['b.pdf', 'new.pdf'])
  })
  it('goes to the renamed one, and the restored one gets a number', async () => {
    const [old] = await trashed('new.pdf')
    const [a] = await live('a.pdf')
    await change(renamed(a!, 'new.pdf'), restored(old!))
    expect(await names()).toEqual(['new (2).pdf', 'new.pdf'])
  })
  it('is another shop’s affair there', async () => {
    const [a] = await live('a.pdf')
    await makeFiles(forShop(database, await createTestShop(database, `other-${shops}.myshopify.com`)), [
      { filename: 'b.pdf' },
    ])
    expect(await change(renamed(a!, 'b.pdf'))).toMatchObject([{ status: 'changed' }])
  })
})

it('a name that someone takes at the same moment rolls back, to begin again', async () => {
  const [one, two] = await trashed('guide.pdf', 'guide.pdf')
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  let wrote = () => {}
  const written = new Promise<void>((resolve) => (wrote = resolve))
  const first = scope.transaction(async (tx) => {
    await changeFiles(tx, [restored(one!)])
    wrote()
    await held
  })
  await written
  const second = change(restored(two!)).then(
    () => null,
    (error: unknown) => error,
  )
  await waitsForLock()
  go()
  await first
  expect(isRollback(await second)).toBe(true)
  await change(restored(two!))
  expect(await names()).toEqual(['guide (2).pdf', 'guide.pdf'])
})

async function waitsForLock(): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length
    })
    .toBeGreaterThan(0)
}
