import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { english } from '../../../plugins/contract/index.ts'
import { assignLicenceKey } from '../../../plugins/assign-licence-key/plugin.ts'
import { chooseFiles } from '../../../plugins/choose-files/plugin.ts'
import { notifyDelivery } from '../../../plugins/notify-delivery/plugin.ts'
import { stampPdf } from '../../../plugins/stamp-pdf/plugin.ts'
import { openTestWorker, type TestWorker } from '../../../test/background.ts'
import {
  addFile,
  ANN,
  deliver,
  deliveryWorkflowOf,
  type TestDelivery,
} from '../../../test/deliveries.ts'
import {
  documentOf,
  faultsOf,
  inkOf,
  numberedPages,
  renderPages,
  textsOf,
} from '../../../test/documents.ts'
import { createTestEngine, type TestEngine } from '../../../test/engine.ts'
import { deliveryExtras } from '../orders/extras.ts'
import { checkCharacter } from '../../../plugins/_page/key-pattern.ts'
import { addLicenceKeys, createLicenceList, readLicenceList } from './licence-lists.ts'
import { holdBlobs } from '../../files/blobs.ts'
import { toPublicId } from '../../core/ids.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import { createDiskStore } from '../../core/store/disk.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import {
  repeatPreparation,
  prepareDelivery,
  prepareForKeys,
  readPreparation,
  type DeliveryAbout,
} from './runs.ts'
import { renewTask } from './renew.ts'
import { prepareTask } from './run.ts'

let house: TestEngine
let worker: TestWorker
let task: BackgroundTask
let renewal: BackgroundTask
let ended: string[]
const PDF = documentOf(numberedPages(2))
const stamp = { plugin: 'stamp-pdf' }

beforeAll(async () => {
  house = await createTestEngine([stampPdf, assignLicenceKey, chooseFiles, notifyDelivery], [])
  task = prepareTask(house.parts, (_tx, delivery) => Promise.resolve(void ended.push(delivery)))
  renewal = renewTask(house.parts, () => Promise.resolve())
  worker = await openTestWorker(house.parts.database, [task, renewal])
})
afterAll(() => house.close())
beforeEach(() => void (ended = []))

const run = ({ id }: TestDelivery) => worker.run(task, { shop: house.shop, key: id })
const extras = ({ id }: TestDelivery) =>
  deliveryExtras(house.scope, house.parts.secrets, id, { show: true })
const stateOf = ({ id }: TestDelivery) => readPreparation(house.scope, id)
const copyOf = async ({ id }: TestDelivery, file: string) => {
  const [row] = await house.scope.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from prepared_files
     where shop_id = :shop and delivery_id = :id and file_id = :file`,
    { id, file },
  )
  const store = createDiskStore({ folder: path.join(house.folder, 'primary') })
  return store.readWhole(house.shop, row!.hash)
}
/** The deliveries whose copies were requested again after they were made. */
const renewed = async () => {
  const { rows } = await house.parts.database.pool.query<{ key: string }>(renewal.wanted!)
  for (const { key } of rows) await worker.run(renewal, { shop: house.shop, key })
  return rows.map(({ key }) => key)
}
async function newVersion(file: string, bytes: Uint8Array, filename: string | null = null) {
  const { stage } = await house.parts.ports(house.scope)
  const staged = await stage.write(Readable.from([bytes]), null, new AbortController().signal)
  await house.scope.transaction(async (tx) => {
    await holdBlobs(tx, [staged])
    const [row] = await tx.query<{ version: number }>(
      `update files set version = version + 1, size_bytes = :size,
         filename = coalesce(:filename, filename)
       where shop_id = :shop and id = :file returning version`,
      { file, size: bytes.length, filename },
    )
    await tx.query(
      `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select :shop, :file, :version, decode(:hash, 'hex'), :location, :size, f.content_type
       from files f where f.shop_id = :shop and f.id = :file`,
      { file, version: row!.version, size: bytes.length, ...staged },
    )
  })
}
/** Finds ink in the lowest tenth of each page: the stamp is drawn as outlines, not as text. */
const stampsOf = async (bytes: Uint8Array) =>
  (await renderPages(bytes, 100)).map(({ width, height, grey }) => {
    const from = Math.floor(height * 0.9)
    return inkOf({ width, height: height - from, grey: grey.subarray(from * width) })
  })
const newList = async (keys: readonly string[]) => {
  const id = await house.scope.transaction((tx) => createLicenceList(tx, randomUUID()))
  await house.scope.transaction((tx) => addLicenceKeys(tx, house.parts.secrets, id, keys))
  return id
}
/** All deliveries wait for their runs again. */
async function waitAgain() {
  for (const table of ['delivery_runs', 'prepared_files'])
    await house.scope.query(
      `update ${table} set status = 'waiting' where shop_id = :shop and status = 'ready'`,
    )
}
/** Cuts the connections that write this table, while they wait to: the others continue. */
async function cutWriters(table: string, start: () => Promise<unknown>[]) {
  const holder = await house.parts.database.pool.connect()
  try {
    await holder.query(`begin; lock table ${table} in share mode`)
    const running = start()
    const cut = async () => {
      const { rowCount } = await holder.query(
        `select pg_terminate_backend(l.pid) from pg_locks l
         where l.relation = $1::regclass and not l.granted`,
        [table],
      )
      return rowCount
    }
    await expect.poll(cut).toBeGreaterThan(0)
    await holder.query('commit')
    await Promise.all(running)
  } finally {
    holder.release(true)
  }
}
const licences = (list: string, options = {}) => ({
  plugin: 'assign-licence-key',
  options: { list: toPublicId('licences', list), ...options },
})

describe('stamping', () => {
  it('creates a copy only for this buyer, and leaves the file unchanged', async () => {
    const [book, notes] = [
      await addFile(house, 'book.pdf', PDF),
      await addFile(house, 'notes.txt', Buffer.from('words')),
    ]
    const before = await house.scope.from('versions').orderBy('file_id')
    const made = await deliver(house.scope, [book, notes], deliveryWorkflowOf(stamp))
    expect(made.preparation).toMatchObject({ status: 'waiting', code: null, reason: null })
    await run(made)
    expect(await stateOf(made)).toMatchObject({ status: 'ready' })
    expect(ended).toEqual([made.id])
    const copy = await copyOf(made, book)
    const [first, last] = await stampsOf(copy)
    expect([first!.left < 0.1, last!.left < 0.1, last!.right > 0.25]).toEqual([true, true, true])
    expect(await stampsOf(PDF)).toEqual([null, null])
    expect(await textsOf(copy)).toEqual(await textsOf(PDF))
    expect(await faultsOf(copy)).toBe('')
    const found = await extras(made)
    expect(found.get(book)!.copy).toMatchObject({ size_bytes: copy.length, version: 1 })
    expect(found.get(notes)!.copy).toBeNull()
    expect(await house.scope.from('versions').orderBy('file_id')).toEqual(before)

    const other = await deliver(house.scope, [book], deliveryWorkflowOf(stamp), {
      buyer: { ...ANN, name: 'Bo', email: 'bo@example.com' },
    })
    await run(other)
    expect((await stampsOf(await copyOf(other, book)))[0]!.right).toBeLessThan(first!.right)
  })

  soakTest(
    'stamps a new version for past buyers, who keep the earlier copy until it is ready',
    async () => {
      const [book, notes] = [
        await addFile(house, 'novel.pdf', PDF),
        await addFile(house, 'novel.txt', Buffer.from('words')),
      ]
      const made = await deliver(house.scope, [book, notes], deliveryWorkflowOf(stamp))
      await run(made)
      const before = await copyOf(made, book)
      expect(await renewed()).toEqual([])
      await newVersion(book, documentOf(numberedPages(3)))
      await newVersion(notes, Buffer.from('more words'))
      expect(await copyOf(made, book)).toEqual(before)
      expect((await stateOf(made))!.status).toBe('ready')
      expect(await renewed()).toEqual([made.id])
      expect((await stampsOf(await copyOf(made, book))).filter(Boolean).length).toBe(3)
      expect((await extras(made)).get(book)!.copy).toMatchObject({ version: 2 })
      expect((await extras(made)).get(notes)!.copy).toBeNull()
      expect([await renewed(), ended]).toEqual([[], [made.id]])

      await newVersion(book, PDF.subarray(0, 100))
      await renewed()
      expect((await extras(made)).get(book)!.copy).toMatchObject({ version: 2 })
      expect((await stateOf(made))!.status).toBe('ready')
      const [notice] = (await listNotices(house.scope, { limit: 1 })).rows
      expect(notice).toMatchObject({
        title: 'A new version did not reach the buyer of order #1001',
        body: expect.stringMatching(/earlier version\. “novel\.pdf”: /) as string,
      })
      expect(await renewed()).toEqual([])
      // Without an earlier stamped copy there is nothing that may be served.
      await newVersion(notes, PDF.subarray(0, 100), 'notes.pdf')
      await renewed()
      expect(await stateOf(made)).toMatchObject({ status: 'failed' })
    },
  )

  soakTest(
    'holds a delivery that it could not stamp, with the reason, until it is prepared again',
    async () => {
      const good = await addFile(house, 'good.pdf', PDF)
      const broken = await addFile(house, 'broken.pdf', PDF.subarray(0, 100))
      const made = await deliver(house.scope, [good, broken], deliveryWorkflowOf(stamp))
      await run(made)
      const state = await stateOf(made)
      expect(state).toMatchObject({ status: 'failed' })
      const reason = english(state!.reason!)
      expect(reason).toMatch(/^“broken.pdf”: .+\. Replace the documents/)
      const [notice] = (await listNotices(house.scope, { limit: 1 })).rows
      expect(notice).toMatchObject({
        level: 'critical',
        title: 'The files of order #1001 are held',
        body: expect.stringContaining(reason) as string,
      })
      expect((await extras(made)).get(broken)!.copy).toBeNull()
      expect(await house.scope.transaction((tx) => repeatPreparation(tx, made.id))).toBe(true)
      expect(await stateOf(made)).toEqual({ status: 'waiting', code: null, reason: null })
    },
  )

  soakTest('stamps only the buyer’s known data', async () => {
    const book = await addFile(house, 'letters.pdf', PDF)
    const emoji = await deliver(house.scope, [book], deliveryWorkflowOf(stamp), {
      buyer: { ...ANN, name: 'Ann 😀\u202e' },
    })
    await run(emoji)
    const named = await deliver(house.scope, [book], deliveryWorkflowOf(stamp))
    await run(named)
    const [without] = await stampsOf(await copyOf(emoji, book))
    const [whole] = await stampsOf(await copyOf(named, book))
    expect([without!.right > 0.15, without!.right < whole!.right]).toEqual([true, true])
    const nobody = await deliver(house.scope, [book], deliveryWorkflowOf(stamp), {
      buyer: { name: ' ', email: null, locale: null },
    })
    await run(nobody)
    expect(await stateOf(nobody)).toMatchObject({ status: 'failed', code: 'buyer_unknown' })
  })
})

describe('licence keys', () => {
  it('are assigned once each, also to many concurrent deliveries and to repeated runs', async () => {
    const file = await addFile(house, 'app.zip', Buffer.from('app'))
    const keys = Array.from({ length: 60 }, (_, n) => `KEY-${n}`)
    const list = await newList(keys)
    const about = { lines: [{ id: 'line', quantity: 2, files: [file] }] }
    const workflow = deliveryWorkflowOf(licences(list))
    const all: TestDelivery[] = []
    for (let n = 0; n < 25; n++) all.push(await deliver(house.scope, [file], workflow, about))
    await Promise.all(all.map(run))
    await waitAgain()
    await Promise.all(all.map(run))
    const given: string[] = []
    for (const one of all) {
      const mine = (await extras(one)).get(file)!.licence_keys
      expect(mine).toHaveLength(2)
      given.push(...mine)
    }
    expect(new Set(given).size).toBe(50)
    expect(given.every((key) => keys.includes(key))).toBe(true)
    expect(await readLicenceList(house.scope, list)).toMatchObject({ left: 10, given: 50 })
    // The shop is warned once that few keys are left, until keys are added.
    const warnings = async () =>
      (await listNotices(house.scope, { limit: 50 })).rows.filter(
        ({ title }) => title === 'A list is running out of licence keys',
      ).length
    expect(await warnings()).toBe(1)
    await house.scope.transaction((tx) =>
      addLicenceKeys(tx, house.parts.secrets, list, ['LATER-1', 'LATER-2']),
    )
    for (let n = 0; n < 2; n++) await run(await deliver(house.scope, [file], workflow, about))
    expect(await warnings()).toBe(2)
  })

  soakTest('are generated once each, also when their connections are cut twice', async () => {
    const file = await addFile(house, 'made.zip', Buffer.from('made'))
    // There are only 900 such keys, so that some are drawn twice.
    const list = await house.scope.transaction((tx) =>
      createLicenceList(tx, randomUUID(), {
        generate: { pattern: 'FIXED-XX', prefix: 'G-', checksum: true },
        expiry_days: 10,
      }),
    )
    const about = { lines: [{ id: 'line', quantity: 2, files: [file] }] }
    const workflow = deliveryWorkflowOf(licences(list))
    const all: TestDelivery[] = []
    for (let n = 0; n < 50; n++) all.push(await deliver(house.scope, [file], workflow, about))
    for (const written of ['licence_keys', 'prepared_files']) {
      await cutWriters(written, () => all.map((one) => run(one).catch(() => {})))
      await waitAgain()
    }
    await expect
      .poll(async () => {
        await Promise.all(all.map((one) => run(one).catch(() => {})))
        return (await Promise.all(all.map(stateOf))).filter((one) => one!.status !== 'ready').length
      })
      .toBe(0)
    const given = (await Promise.all(all.map(extras))).map((found) => found.get(file)!.licence_keys)
    expect(given.filter((keys) => keys.length !== 2)).toEqual([])
    expect(new Set(given.flat()).size).toBe(100)
    for (const key of given.flat())
      expect(key).toBe(key.slice(0, -1) + checkCharacter(key.slice(0, -1)))
    expect(await readLicenceList(house.scope, list)).toMatchObject({ left: null, given: 100 })
    const [row] = await house.scope.query(
      `select count(*) filter (where expires_at = assigned_at + interval '10 days') as expiring,
         count(*) as keys from licence_keys where shop_id = :shop and list_id = :list`,
      { list },
    )
    expect(row).toEqual({ expiring: 100, keys: 100 })
  })

  it('hold the delivery when there are too few, until keys are added', async () => {
    const file = await addFile(house, 'few.zip', Buffer.from('few'))
    const list = await newList(['ONLY-1'])
    const about = { lines: [{ id: 'line', quantity: 2, files: [file] }] }
    const made = await deliver(house.scope, [file], deliveryWorkflowOf(licences(list)), about)
    await run(made)
    const state = await stateOf(made)
    expect(state).toMatchObject({ status: 'failed', code: 'licence_keys_used_up' })
    expect(english(state!.reason!)).toMatch(/needs 2\. Add keys to the list/)
    // All or none: the one key is kept for a delivery that needs only one.
    expect(await readLicenceList(house.scope, list)).toMatchObject({ left: 1, given: 0 })
    await house.scope.transaction(async (tx) => {
      await addLicenceKeys(tx, house.parts.secrets, list, ['MORE-1', 'ONLY-1'])
      await prepareForKeys(tx)
    })
    await run(made)
    expect(await stateOf(made)).toMatchObject({ status: 'ready' })
    expect((await extras(made)).get(file)!.licence_keys).toEqual(['ONLY-1', 'MORE-1'])
  })

  soakTest('are shared by the files of a line, which has one for each unit', async () => {
    const app = await addFile(house, 'tool.zip', Buffer.from('tool'))
    const guide = await addFile(house, 'tool.pdf', PDF)
    const list = await newList(Array.from({ length: 200 }, (_, n) => `UNIT-${n}`))
    const countOf = async (
      lines: DeliveryAbout['lines'],
      options = {},
      files = [app, guide],
    ): Promise<number[]> => {
      const workflow = deliveryWorkflowOf(licences(list, options))
      const made = await deliver(house.scope, files, workflow, { lines })
      await run(made)
      await run(made)
      const found = await extras(made)
      return [app, guide].map((file) => found.get(file)?.licence_keys.length ?? 0)
    }
    const both = [app, guide]
    expect(await countOf([{ id: 'a', quantity: 2, files: both }])).toEqual([2, 0])
    expect(
      await countOf([
        { id: 'a', quantity: 2, files: both },
        { id: 'b', quantity: 1, files: [guide] },
      ]),
    ).toEqual([2, 1])
    expect(await countOf([{ id: 'a', quantity: 2, files: both }], { per: 'file' })).toEqual([1, 1])
    expect(await countOf([])).toEqual([0, 0])
    expect(await countOf([{ id: 'a', quantity: 5000, files: both }])).toEqual([100, 0])
  })

  it('are sealed, and bound to their shop', async () => {
    await newList(['PLAIN-TEXT-KEY'])
    const [row] = await house.scope.query<{ text: string }>(
      `select string_agg(to_jsonb(k)::text || encode(sealed, 'escape'), '') as text
       from licence_keys k where shop_id = :shop`,
    )
    expect(row!.text).not.toContain('PLAIN-TEXT-KEY')
  })
})

describe('a run', () => {
  it('excludes the files that a rule does not choose, with their links', async () => {
    const [pdf, zip] = [
      await addFile(house, 'chosen.pdf', PDF),
      await addFile(house, 'left.zip', Buffer.from('zip')),
    ]
    const rule = { plugin: 'choose-files', options: { deliver: { type: ['pdf'] } } }
    const made = await deliver(house.scope, [pdf, zip], deliveryWorkflowOf(rule))
    await run(made)
    const found = await extras(made)
    expect(found.get(zip)!.left_out).toBe('The workflow’s rule excludes it')
    expect(found.get(pdf)!.left_out).toBeNull()
    const links = await house.scope.query<{ file_id: string }>(
      'select file_id from links where shop_id = :shop and parent_id = :page',
      { page: made.page },
    )
    expect(links.map(({ file_id }) => file_id)).toEqual([pdf])
  })

  soakTest('notifies the shop once, and prepares later files without the others', async () => {
    const [first, second] = [
      await addFile(house, 'first.pdf', PDF),
      await addFile(house, 'second.pdf', PDF),
    ]
    const workflow = deliveryWorkflowOf(stamp, { plugin: 'notify-delivery', options: {} })
    const made = await deliver(house.scope, [first], workflow)
    await run(made)
    const before = await copyOf(made, first)
    const [row] = await house.scope.query<{ about: DeliveryAbout }>(
      'select about from delivery_runs where shop_id = :shop and delivery_id = :id',
      { id: made.id },
    )
    const files = [first, second]
    const again = await house.scope.transaction((tx) =>
      prepareDelivery(tx, {
        delivery: made.id,
        page: made.page,
        workflow,
        about: row!.about,
        files,
      }),
    )
    expect(again.status).toBe('waiting')
    await run(made)
    expect(await copyOf(made, first)).toEqual(before)
    expect((await extras(made)).get(second)!.copy).not.toBeNull()
    const told = (await listNotices(house.scope, { limit: 50 })).rows.filter(({ title }) =>
      title.includes('were delivered'),
    )
    expect(told).toHaveLength(1)
    const same = await house.scope.transaction((tx) =>
      prepareDelivery(tx, {
        delivery: made.id,
        page: made.page,
        workflow,
        about: row!.about,
        files,
      }),
    )
    expect(same.status).toBe('ready')
  })

  soakTest('fails files that stop the worker, and reports a workflow that is broken', async () => {
    const file = await addFile(house, 'poison.pdf', PDF)
    const made = await deliver(house.scope, [file], deliveryWorkflowOf(stamp))
    await house.scope.query('update delivery_runs set attempts = 3 where shop_id = :shop')
    await run(made)
    expect(await stateOf(made)).toMatchObject({ status: 'failed', code: 'worker_crashed' })
    const gone = await deliver(house.scope, [file], deliveryWorkflowOf({ plugin: 'not-there' }))
    await run(gone)
    expect(await stateOf(gone)).toMatchObject({ status: 'failed', code: 'workflow_broken' })
  })

  it('is queued while it waits, and not for an uninstalled shop', async () => {
    const file = await addFile(house, 'wanted.zip', Buffer.from('wanted'))
    const rule = { plugin: 'choose-files', options: { deliver: { type: ['zip'] } } }
    const made = await deliver(house.scope, [file], deliveryWorkflowOf(rule))
    const wanted = async () =>
      (await house.parts.database.pool.query<{ key: string }>(task.wanted!)).rows.map(
        ({ key }) => key,
      )
    expect(await wanted()).toContain(made.id)
    await house.scope.query('update shops set uninstalled_at = now() where id = :shop')
    expect(await wanted()).not.toContain(made.id)
    await house.scope.query('update shops set uninstalled_at = null where id = :shop')
    await run(made)
    expect(await wanted()).not.toContain(made.id)
  })
})
