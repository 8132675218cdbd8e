import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { sized } from '../../test/scale.ts'
import { isRollback } from '../core/db/error-classes.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { changeFiles } from './changes.ts'
import { type Change, draftOfRecord, readRecords, type FileRecord } from './drafts.ts'
import { grantNames, type NameRequest } from './name-allocation.ts'

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

/** Creates and deletes them one after another, since they may have the same name. */
async function trashed(...names: string[]): Promise<FileRecord[]> {
  const ids: string[] = []
  for (const name of names) {
    const [file] = await live(name)
    await scope.query('update files set deleted_at = now() where shop_id = :shop and id = :id', {
      id: file!.id,
    })
    ids.push(file!.id)
  }
  const records = await readRecords(scope, ids)
  return ids.map((id) => records.get(id)!)
}

const restored = (record: FileRecord): Change => ({
  record,
  draft: { ...draftOfRecord(record), deleted: false },
})

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

describe('a file restored from the trash', () => {
  it('keeps its name if that is free', async () => {
    await change(...(await trashed('guide.pdf')).map(restored))
    expect(await names()).toEqual(['guide.pdf'])
  })
  it('gets a number, with a warning, if the name was taken meanwhile in any case', async () => {
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
  it('gets the next free number', async () => {
    const [old] = await trashed('guide.pdf')
    await live('guide.pdf', ...Array.from({ length: 24 }, (_, n) => `GUIDE (${n + 2}).pdf`))
    await change(restored(old!))
    expect(await names()).toContain('guide (26).pdf')
  })
  it('gets a number after another one of the same name in the same call', async () => {
    const old = await trashed('guide.pdf', 'guide.pdf', 'GUIDE.pdf')
    await change(...old.map(restored))
    expect(await names()).toEqual(['guide (2).pdf', 'GUIDE (3).pdf', 'guide.pdf'])
  })
  it('gets a number after another one of the same name in an earlier call', async () => {
    const [one, two] = await trashed('guide.pdf', 'guide.pdf')
    await change(restored(one!))
    await change(restored(two!))
    expect(await names()).toEqual(['guide (2).pdf', 'guide.pdf'])
  })
  it('gets its number before the extension of a name shortened from 255 characters', async () => {
    const name = `${'x'.repeat(251)}.pdf`
    const old = await trashed(name, name)
    await change(...old.map(restored))
    expect(await names()).toEqual([`${'x'.repeat(247)} (2).pdf`, name])
  })
  it('names in the trash do not conflict', async () => {
    await trashed('guide.pdf')
    const [other] = await live('other.pdf')
    await change(renamed(other!, 'guide.pdf'))
    expect(await names()).toEqual(['guide.pdf'])
  })
})

describe('a new name', () => {
  it('that is taken is refused and named, and no other part of the change is applied', async () => {
    const [a] = await live('a.pdf', 'b.pdf')
    const wanted = renamed(a!, 'B.PDF')
    wanted.draft.cdn = false
    expect(inEnglish(await change(wanted))).toEqual([
      { status: 'refused', code: 'duplicate_filename', message: '“B.PDF” is taken' },
    ])
    expect((await readRecords(scope, [a!.id])).get(a!.id)).toEqual(a)
  })
  it('may differ from the current one only in case', async () => {
    const [a] = await live('a.pdf')
    await change(renamed(a!, 'A.pdf'))
    expect(await names()).toEqual(['A.pdf'])
  })
  it('is given to the first of two files', async () => {
    const [a, b] = await live('a.pdf', 'b.pdf')
    const results = await change(renamed(a!, 'new.pdf'), renamed(b!, 'NEW.pdf'))
    expect(results.map(({ status }) => status)).toEqual(['changed', 'refused'])
    expect(await names()).toEqual(['b.pdf', 'new.pdf'])
  })
  it('goes to a renamed file before a restored one, which gets a number', async () => {
    const [old] = await trashed('new.pdf')
    const [a] = await live('a.pdf')
    await change(renamed(a!, 'new.pdf'), restored(old!))
    expect(await names()).toEqual(['new (2).pdf', 'new.pdf'])
  })
  it('may exist in another shop', async () => {
    const [a] = await live('a.pdf')
    await makeFiles(
      forShop(database, await createTestShop(database, `other-${shops}.myshopify.com`)),
      [{ filename: 'b.pdf' }],
    )
    expect(await change(renamed(a!, 'b.pdf'))).toMatchObject([{ status: 'changed' }])
  })
})

describe('names exchanged between files', () => {
  const moves = (records: readonly FileRecord[], ...to: string[]) =>
    records.map((record, at) => renamed(record, to[at]!))

  it('are swapped', async () => {
    const files = await live('a.pdf', 'b.pdf')
    expect(await change(...moves(files, 'B.pdf', 'A.pdf'))).toMatchObject([
      {
        status: 'changed',
        ledger: { before: { filename: 'a.pdf' }, after: { filename: 'B.pdf' } },
      },
      {
        status: 'changed',
        ledger: { before: { filename: 'b.pdf' }, after: { filename: 'A.pdf' } },
      },
    ])
    expect((await readRecords(scope, [files[0]!.id])).get(files[0]!.id)).toMatchObject({
      filename: 'B.pdf',
    })
    expect(await names()).toEqual(['A.pdf', 'B.pdf'])
  })
  it('move on by one, in either direction and in a circle', async () => {
    const files = await live('1.pdf', '2.pdf', '3.pdf', '4.pdf')
    const ids = files.map(({ id }) => id)
    for (const shift of [1, 0, -1, 0]) {
      const records = await readRecords(scope, ids)
      const to = ids.map((_, n) => `${n + 1 + shift}.pdf`)
      const results = await change(...ids.map((id, n) => renamed(records.get(id)!, to[n]!)))
      expect(results.map(({ status }) => status)).toEqual(ids.map(() => 'changed'))
      const after = await readRecords(scope, ids)
      expect(ids.map((id) => after.get(id)!.filename)).toEqual(to)
    }
    const records = await readRecords(scope, ids)
    await change(...ids.map((id, n) => renamed(records.get(id)!, `${((n + 1) % 4) + 1}.pdf`)))
    const after = await readRecords(scope, ids)
    expect(ids.map((id) => after.get(id)!.filename)).toEqual(['2.pdf', '3.pdf', '4.pdf', '1.pdf'])
  })
  it('are all refused if the last file cannot get its name', async () => {
    await live('taken.pdf')
    const files = await live('a.pdf', 'b.pdf', 'c.pdf', 'free.pdf')
    const results = await change(...moves(files, 'b.pdf', 'c.pdf', 'taken.pdf', 'other.pdf'))
    expect(results.map(({ status }) => status)).toEqual([
      'refused',
      'refused',
      'refused',
      'changed',
    ])
    expect(await names()).toEqual(['a.pdf', 'b.pdf', 'c.pdf', 'other.pdf', 'taken.pdf'])
  })
  it('keep a file unchanged whose change is refused for another reason, or differs from its preview', async () => {
    const [a, b, c, d] = await live('a.pdf', 'b.pdf', 'c.pdf', 'd.pdf')
    const faulty = renamed(b!, 'e.pdf')
    faulty.draft.tags = ['a;b']
    const drifted = {
      ...renamed(d!, 'f.pdf'),
      promised: [{ filename: 'd.pdf' }, { filename: 'g.pdf' }] as const,
    }
    const results = await change(renamed(a!, 'b.pdf'), faulty, renamed(c!, 'd.pdf'), drifted)
    expect(results.map(({ status }) => status)).toEqual([
      'refused',
      'refused',
      'refused',
      'drifted',
    ])
    expect(await names()).toEqual(['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf'])
  })
  it('keep files unchanged if another transaction took one of the names, and all that depend on it', async () => {
    const files = await live('a.pdf', 'b.pdf', 'c.pdf', 'x.pdf')
    await scope.query('update files set cdn = false where shop_id = :shop and id = :id', {
      id: files[2]!.id,
    })
    const results = await change(...moves(files, 'b.pdf', 'c.pdf', 'a.pdf', 'y.pdf'))
    expect(results.map(({ status }) => status)).toEqual([
      'overtaken',
      'overtaken',
      'overtaken',
      'changed',
    ])
    expect(await names()).toEqual(['a.pdf', 'b.pdf', 'c.pdf', 'y.pdf'])
  })
  it('include those of a file restored from the trash', async () => {
    const [old] = await trashed('a.pdf')
    const [a] = await live('a.pdf')
    await change(restored(old!), renamed(a!, 'b.pdf'))
    expect(await names()).toEqual(['a.pdf', 'b.pdf'])
  })
  it('count as free in a preview if their files elsewhere are expected to leave them', async () => {
    const [a, b] = await live('a.pdf', 'b.pdf')
    const looking = (leaving: string[]) =>
      scope.transaction((tx) =>
        changeFiles(tx, [renamed(a!, 'b.pdf')], { write: false, leaving: new Set(leaving) }),
      )
    expect(await looking([])).toMatchObject([{ status: 'refused' }])
    expect(await looking([b!.id])).toMatchObject([{ status: 'changed' }])
  })

  const LETTERS = [...'abcdefgh']
  const wanted = fc.array(fc.option(fc.constantFrom(...LETTERS, 'i', 'j')), {
    minLength: 6,
    maxLength: 6,
  })
  /**
   * The expected result by brute force: requests are removed until every granted name is free or
   * its owner is granted another one.
   */
  function grantedByForce(
    requests: readonly NameRequest[],
    owners: ReadonlyMap<string, string>,
  ): boolean[] {
    const granted = requests.map(
      ({ wantedKey }, at) => requests.findIndex((one) => one.wantedKey === wantedKey) === at,
    )
    for (let again = true; again;) {
      again = false
      for (const [at, { wantedKey }] of requests.entries()) {
        const owner = owners.get(wantedKey)
        const leaves = requests.some(
          ({ id, currentKey }, other) => id === owner && currentKey !== null && granted[other],
        )
        if (!granted[at] || owner === undefined || leaves) continue
        granted[at] = false
        again = true
      }
    }
    return granted
  }
  it('are granted to as many files as possible', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.nat(14)), { minLength: 1, maxLength: 12 }),
        fc.nat(3),
        (wants, strangers) => {
          // Names from 0 are the files' own, the next ones belong to other files, the rest are
          // free.
          const owners = new Map(
            Array.from({ length: wants.length + strangers }, (_, n) => [String(n), `file ${n}`]),
          )
          const requests = wants.flatMap((to, n) =>
            to === null || to === n
              ? []
              : [{ id: `file ${n}`, currentKey: String(n), wantedKey: String(to) }],
          )
          expect(grantNames(requests, owners)).toEqual(grantedByForce(requests, owners))
        },
      ),
      { numRuns: sized(300, 2000) },
    )
  })
  it('for any requests the preview is correct, names stay unique, and an undo restores them', async () => {
    const files = await live(...LETTERS)
    const ids = files.map(({ id }) => id)
    const now = async () => {
      const records = await readRecords(scope, ids)
      return ids.map((id) => records.get(id)!)
    }
    await fc.assert(
      fc.asyncProperty(wanted, async (to) => {
        const before = await now()
        const changes = () =>
          to.flatMap((name, at) => (name === null ? [] : [renamed(before[at]!, name)]))
        const previewed = await scope.transaction((tx) =>
          changeFiles(tx, changes(), { write: false }),
        )
        expect(await change(...changes())).toEqual(previewed)
        const after = await now()
        expect(new Set(after.map(({ filename }) => filename)).size).toBe(ids.length)
        const back = after.flatMap((record, at) =>
          record.filename === before[at]!.filename ? [] : [renamed(record, before[at]!.filename)],
        )
        expect((await change(...back)).filter(({ status }) => status !== 'changed')).toEqual([])
        expect((await now()).map(({ filename }) => filename)).toEqual(
          before.map(({ filename }) => filename),
        )
      }),
      { numRuns: sized(20, 60) },
    )
  })
})

it('a name taken by a concurrent transaction rolls back, to be retried', async () => {
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
        `select 1 from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock'`,
      )
      return rows.length
    })
    .toBeGreaterThan(0)
}
