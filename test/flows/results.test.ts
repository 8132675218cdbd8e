// Results of operations other than changed files: documents, files, links and messages. Each is
// created once and completely, or not at all, in spite of pauses, cancellations, failures and
// kills.
import { inEnglish } from '../english.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appConfig } from '../../app.config.ts'
import {
  definePlugin,
  PortError,
  type OperationContext,
  type OperationReport,
  type Workflow,
} from '../../plugins/contract/index.ts'
import { PORTS } from '../ports.ts'
import { hasEnded } from '../../server/engine/lifecycle.ts'
import type { OperationMove } from '../../server/engine/moves.ts'
import type { OperationRow } from '../../server/engine/types.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { createTestEngine, type TestEngine } from '../engine.ts'
import { promisedMs, sized, soakDescribe, soakTest } from '../scale.ts'
import { dumpOf, expectSame, fileIds, fillLibrary } from './library.ts'

const COUNT = 5000
/** The number of files that links are created for. */
const LINKED = sized(1000, COUNT)
/** The time within which a pause or a cancel must take effect. */
const DEADLINE = { timeout: promisedMs(1000), interval: 10 }
const { plugins, workflows } = appConfig({})

/** What the step does in the current test, and how often it was called. */
let behave: (context: OperationContext) => Promise<OperationReport>
let runs = 0
const common = {
  kind: 'act' as const,
  options: z.strictObject({}),
  scope: 'operation' as const,
  needs: PORTS,
}
const run = (_operation: unknown, _options: unknown, context: OperationContext) => {
  runs++
  return behave(context)
}
const writeResult = definePlugin({
  ...common,
  id: 'write-result',
  title: 'Write a result',
  undo: 'none',
  ledger: false,
  document: true,
  run,
  async *plan({ total }) {
    yield `Writes ${total} names`
  },
})
const makeResult = definePlugin({
  ...common,
  id: 'make-result',
  title: 'Make a result',
  undo: 'fields',
  run,
  async *plan() {},
})

const workflowOf = (...ids: string[]): Workflow => ({
  id: 'test',
  title: 'Test',
  action: ids[0]!,
  kind: 'bulk',
  parallel: 2,
  steps: ids.map((plugin) => ({
    id: plugin,
    plugin,
    ...(plugin === 'notify' ? { options: { when: 'always' } } : {}),
  })),
})
const WRITE = workflowOf('write-result', 'notify')

let house: TestEngine
let worker: EngineWorker
beforeAll(async () => {
  house = await createTestEngine([...plugins, writeResult, makeResult], workflows)
  await fillLibrary(house, COUNT)
  worker = await house.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await house.close()
})
beforeEach(() => {
  runs = 0
  behave = writeNames
})

const writeNames = async ({
  artifacts,
  listings,
  signal,
}: OperationContext): Promise<OperationReport> => {
  await artifacts.write('names.csv', 'text/csv', listings.files('csv', ['filename'], signal))
  return {}
}
/** Writes some bytes and then waits to be interrupted. */
const writeForEver = async ({
  artifacts,
  listings,
  signal,
}: OperationContext): Promise<OperationReport> => {
  await artifacts.write(
    'names.csv',
    'text/csv',
    someOf(listings.files('csv', ['filename'], signal), signal),
  )
  return {}
}
async function* someOf(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let written = 0
  for await (const piece of pieces) {
    yield piece
    if (++written < 3) continue
    // The only wait: an interruption may come before it.
    signal.throwIfAborted()
    await once(signal, 'abort')
    signal.throwIfAborted()
  }
}

const read = async (id: string) => (await house.engine.get(house.scope, id))!
const move = (id: string, how: OperationMove) => house.engine.move(house.scope, id, how)
const ended = async (id: string): Promise<OperationRow> => (await house.untilEnd(id)).operation
const carryOut = async (workflow: Workflow) => ended(await house.startOn(workflow))
const begun = (id: string) =>
  expect.poll(async () => (await read(id)).done, { interval: 5 }).toBeGreaterThan(0)
const count = async (table: 'items' | 'artifacts' | 'notices' | 'outbox', operation: string) =>
  (await house.scope.from(table).where('operation_id', operation).select('operation_id')).length
const contentOf = async (operation: string): Promise<string | null> => {
  const [kept] = await house.scope.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from artifacts where shop_id = :shop
       and operation_id = :operation`,
    { operation },
  )
  const store = createDiskStore({ folder: path.join(house.folder, 'primary') })
  return kept ? (await store.readWhole(house.shop, kept.hash)).toString() : null
}
const names = async () =>
  (
    await house.scope.query<{ filename: string }>(
      'select filename from files where shop_id = :shop and deleted_at is null order by id',
    )
  ).map(({ filename }) => filename)
const expectNames = async (operation: string) =>
  expect(await contentOf(operation)).toBe(
    `\ufefffilename\r\n${(await names()).map((name) => `${name}\r\n`).join('')}`,
  )
/** Waits until no finalization job runs or is queued. */
const expectInterrupted = (id: string) =>
  expect
    .poll(
      async () =>
        (
          await house.parts.database.pool.query('select from graphile_worker.jobs where key = $1', [
            `finish:${id}`,
          ])
        ).rowCount,
      DEADLINE,
    )
    .toBe(0)

describe('an operation without a ledger', () => {
  test('creates one document and no item, and its files read as done', async () => {
    const id = await house.startOn(WRITE)
    const { operation, items } = await house.untilEnd(id)
    expect(operation).toMatchObject({
      status: 'success',
      total: COUNT,
      done: COUNT,
      failed: 0,
      stopped: null,
      undo_until: null,
      artifact: { filename: 'names.csv', content_type: 'text/csv' },
    })
    expect(operation.artifact!.size_bytes).toBe(Buffer.byteLength((await contentOf(id))!))
    await expectNames(id)
    expect([
      await count('items', id),
      await count('artifacts', id),
      await count('notices', id),
    ]).toEqual([0, 1, 1])
    expect(items.length).toBe(COUNT)
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['done']))
  })

  soakTest('of no files is done too', async () => {
    const { scope, engine } = house
    const request = { channel: 'api', request: {}, requestedBy: 'test' }
    const id = await engine.start(scope, {
      workflow: WRITE,
      source: { type: 'files', ids: [] },
      ...request,
    })
    expect(await ended(id)).toMatchObject({ status: 'success', total: 0, done: 0 })
    expect(await contentOf(id)).toBe('\ufefffilename\r\n')
  })

  soakTest(
    'shows its progress, is interrupted by a pause within a second, and starts again',
    async () => {
      behave = writeForEver
      const id = await house.startOn(WRITE)
      await begun(id)
      await move(id, 'pause')
      await expectInterrupted(id)
      expect(await read(id)).toMatchObject({
        status: 'paused',
        done: expect.toSatisfy((n: number) => n < COUNT),
      })
      expect([await count('artifacts', id), await count('notices', id)]).toEqual([0, 0])
      behave = writeNames
      await move(id, 'resume')
      expect(await ended(id)).toMatchObject({ status: 'success', done: COUNT })
      await expectNames(id)
      expect(runs).toBe(2)
    },
  )

  soakTest('resumes on another worker after a pause', async () => {
    behave = writeForEver
    const id = await house.startOn(WRITE)
    await begun(id)
    await move(id, 'pause')
    await expectInterrupted(id)
    const { rows } = await house.parts.database.pool.query(
      'select worker_id from chains where operation_id = $1 and worker_id is not null',
      [id],
    )
    expect(rows).toEqual([])
    const other = await house.startWorker()
    try {
      behave = writeNames
      await move(id, 'resume')
      expect(await ended(id)).toMatchObject({ status: 'success' })
    } finally {
      await other.stop()
    }
  })

  test('is cancelled within a second: nothing of it is done, and nothing is left', async () => {
    behave = writeForEver
    const id = await house.startOn(WRITE)
    await begun(id)
    await move(id, 'cancel')
    await expect.poll(async () => hasEnded(await read(id)), DEADLINE).toBe(true)
    const { operation, items } = await house.untilEnd(id)
    expect(operation).toMatchObject({
      status: 'cancelled',
      total: COUNT,
      done: 0,
      failed: 0,
      cancelled: COUNT,
    })
    expect([await count('artifacts', id), await count('items', id), runs]).toEqual([0, 0, 1])
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['cancelled']))
  })

  soakTest('can be cancelled while paused', async () => {
    behave = writeForEver
    const id = await house.startOn(WRITE)
    await begun(id)
    await move(id, 'pause')
    await expectInterrupted(id)
    await move(id, 'cancel')
    expect(await ended(id)).toMatchObject({ status: 'cancelled', done: 0, cancelled: COUNT })
    expect(await contentOf(id)).toBeNull()
  })

  soakTest('fails with the reason, for each file too, and a retry starts again', async () => {
    behave = async (context) => {
      await writeNames(context)
      throw new PortError('storage_full', 'The storage location is full', true)
    }
    const id = await house.startOn(WRITE)
    const { operation, items } = await house.untilEnd(id)
    const stopped = {
      step: 'write-result',
      code: 'storage_full',
      message: 'The storage location is full',
    }
    expect(operation).toMatchObject({
      status: 'failed',
      done: 0,
      failed: COUNT,
      stopped,
      artifact: null,
    })
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['failed']))
    const notices = () =>
      house.scope.from<{ body: string }>('notices').where('operation_id', id).select('body')
    expect(await notices()).toEqual([
      { body: expect.stringMatching(/Make room in the storage location/) },
    ])
    behave = writeNames
    await move(id, 'retry')
    expect(await ended(id)).toMatchObject({
      status: 'success',
      done: COUNT,
      failed: 0,
      stopped: null,
    })
    await expectNames(id)
    expect((await notices()).length).toBe(2)
  })

  test('fails without internal details if its step has a bug', async () => {
    behave = () => Promise.reject(new TypeError('undefined is not a function'))
    expect(await carryOut(WRITE)).toMatchObject({
      status: 'failed',
      stopped: { code: 'plugin_failed', message: 'Write a result could not be carried out' },
    })
  })

  soakTest('is previewed in a sentence, and confirmed or discarded', async () => {
    const id = await house.startOn(WRITE, { dryRun: true })
    await expect.poll(async () => (await read(id)).status).toBe('previewed')
    const notice = 'A notice in the page when it has ended'
    expect(inEnglish(await read(id))).toMatchObject({
      intentions: [`Writes ${COUNT} names`, notice],
      done: 0,
    })
    expect([runs, await count('items', id), await count('artifacts', id)]).toEqual([0, 0, 0])
    await move(id, 'confirm')
    expect(await ended(id)).toMatchObject({ status: 'success', done: COUNT })
    await expectNames(id)

    const discarded = await house.startOn(WRITE, { dryRun: true })
    await expect.poll(async () => (await read(discarded)).status).toBe('previewed')
    await move(discarded, 'cancel')
    expect(await ended(discarded)).toMatchObject({ status: 'cancelled', done: 0, cancelled: COUNT })
    expect(runs).toBe(1)
  })

  soakTest('keeps no result if it is cancelled as its step ends', async () => {
    const started = Promise.withResolvers<string>()
    behave = async (context) => {
      await writeNames(context)
      await move(await started.promise, 'cancel')
      return {}
    }
    const id = await house.startOn(WRITE)
    started.resolve(id)
    await expect.poll(async () => hasEnded(await read(id))).toBe(true)
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      done: 0,
      cancelled: COUNT,
      artifact: null,
    })
    expect(await count('artifacts', id)).toBe(0)
  })

  soakTest(
    'keeps its result if it is paused as its step ends, and ends when it resumes',
    async () => {
      let id = ''
      behave = async (context) => {
        await writeNames(context)
        await move(id, 'pause')
        return {}
      }
      id = await house.startOn(WRITE)
      await expect.poll(async () => (await read(id)).finished_steps).toBeGreaterThan(0)
      await expectInterrupted(id)
      expect(await read(id)).toMatchObject({ status: 'paused', finished_at: null })
      await move(id, 'resume')
      expect(await ended(id)).toMatchObject({ status: 'success', done: COUNT })
      expect([runs, await count('artifacts', id)]).toEqual([1, 1])
    },
  )

  soakTest('has one document, the last one, regardless of how many its step writes', async () => {
    behave = async (context) => {
      await context.artifacts.write(
        'first.txt',
        'text/plain',
        Readable.from([Buffer.from('first')]),
      )
      await context.artifacts.write(
        'second.txt',
        'text/plain',
        Readable.from([Buffer.from('second')]),
      )
      return {}
    }
    const { id, artifact } = await carryOut(WRITE)
    expect(artifact).toEqual({ filename: 'second.txt', content_type: 'text/plain', size_bytes: 6 })
    expect([await count('artifacts', id), await contentOf(id)]).toEqual([1, 'second'])
  })

  soakTest(
    'survives kill -9 during its document: another worker starts again, and one document exists',
    async () => {
      await worker.stop()
      const id = await house.startOn(workflowOf('write-result'))
      const dead = startProcess({ DIE: '1' })
      expect(await once(dead, 'exit')).toEqual([null, 'SIGKILL'])
      expect(await read(id)).toMatchObject({ status: 'running', finished_at: null })
      expect(await count('artifacts', id)).toBe(0)
      await markWorkerDead()
      const living = startProcess({ DIE: '0' })
      try {
        expect(await ended(id)).toMatchObject({ status: 'success', done: COUNT })
      } finally {
        living.kill('SIGTERM')
        await once(living, 'exit')
        worker = await house.startWorker()
      }
      expect(await count('artifacts', id)).toBe(1)
      await expectNames(id)
    },
  )
})

const startProcess = (env: Record<string, string>) =>
  spawn(process.execPath, [path.join(import.meta.dirname, 'results-worker.ts')], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: house.parts.database.url,
      ...env,
      FOLDER: path.join(house.folder, 'primary'),
    },
    stdio: 'inherit',
  })

/** Does what the crash sweep does with a dead worker, without its wait of ten seconds. */
async function markWorkerDead(): Promise<void> {
  const { pool } = house.parts.database
  const { rows } = await pool.query<{ pool_id: string }>('delete from workers returning pool_id')
  await pool.query('select graphile_worker.force_unlock_workers($1)', [
    rows.map(({ pool_id }) => pool_id),
  ])
}

describe('files created by a final step', () => {
  const make = async ({ stage, signal }: OperationContext): Promise<OperationReport> => {
    const bytes = await stage.write(Readable.from([Buffer.from('made')]), null, signal)
    return {
      created: ['parts.pdf', 'Manual 1.pdf'].map((filename) => ({
        filename,
        bytes,
        tags: ['made'],
      })),
    }
  }
  const made = () =>
    house.scope.query<{ filename: string; deleted: boolean }>(
      `select filename, deleted_at is not null as deleted from files where shop_id = :shop
         and 'made' = any(tags) order by filename`,
    )

  test('exist once, with free names; an undo moves them to the trash', async () => {
    const before = await dumpOf(house.scope)
    behave = make
    const ids = (await fileIds(house.scope)).slice(0, 100)
    const id = await house.startOn(workflowOf('make-result'), { ids })
    expect(await ended(id)).toMatchObject({ status: 'success', total: 100, done: 100 })
    const names = ['Manual 1 (2).pdf', 'parts.pdf']
    expect(await made()).toEqual(names.map((filename) => ({ filename, deleted: false })))
    const undo = await house.engine.undo(house.scope, id, 'Mira', 'admin')
    expect(await ended(undo)).toMatchObject({ status: 'success', done: 2, undoes: id })
    expect(await made()).toEqual(names.map((filename) => ({ filename, deleted: true })))
    await house.scope.from('files').whereIn('filename', names).delete()
    expectSame(await dumpOf(house.scope), before)
  })

  soakTest(
    'do not exist if one of them fails, or if the operation was cancelled meanwhile',
    async () => {
      let id = ''
      behave = async (context) => {
        const { created = [] } = await make(context)
        return { created: [...created, { ...created[0]!, filename: 'not/a name.pdf' }] }
      }
      id = await house.startOn(workflowOf('make-result'), {
        ids: (await fileIds(house.scope)).slice(0, 3),
      })
      expect(await ended(id)).toMatchObject({
        status: 'partial',
        done: 3,
        stopped: { code: 'invalid_filename' },
      })
      expect(await made()).toEqual([])
      // The step may run before the start request has returned: it waits for the id.
      const started = Promise.withResolvers<string>()
      behave = async (context) => {
        await move(await started.promise, 'cancel')
        return make(context)
      }
      id = await house.startOn(workflowOf('make-result'), {
        ids: (await fileIds(house.scope)).slice(0, 3),
      })
      started.resolve(id)
      expect(await ended(id)).toMatchObject({ status: 'cancelled' })
      expect(await made()).toEqual([])
    },
  )

  soakTest('are created by a retry if the step failed and no file did', async () => {
    behave = () =>
      Promise.reject(new PortError('storage_failed', 'The storage location did not answer', true))
    const id = await house.startOn(workflowOf('make-result'), {
      ids: (await fileIds(house.scope)).slice(0, 3),
    })
    expect(await ended(id)).toMatchObject({
      status: 'partial',
      done: 3,
      failed: 0,
      stopped: { step: 'make-result' },
    })
    expect(house.engine.actions(await read(id))).toContain('retry')
    behave = make
    await move(id, 'retry')
    expect(await ended(id)).toMatchObject({ status: 'success', done: 3, stopped: null })
    expect((await made()).length).toBe(2)
    await house.scope.from('files').whereRaw(`'made' = any(tags)`).delete()
  })
})

soakDescribe('links created by an operation', () => {
  const linksOf = (operation: string) =>
    house.scope.query<{ id: string; email: string | null; revoked: boolean }>(
      `select id, email, revoked_at is not null as revoked from links where shop_id = :shop
         and operation_id = :operation`,
      { operation },
    )
  const linkedIds = async () => (await fileIds(house.scope)).slice(0, LINKED)
  const create = (options: Record<string, unknown> = {}): Workflow => ({
    ...workflowOf('create-links', 'list-links', 'notify'),
    steps: [
      { id: 'act', plugin: 'create-links', options },
      { id: 'list', plugin: 'list-links' },
    ],
  })
  const rowsIn = async (operation: string) =>
    (await contentOf(operation))?.trimEnd().split('\r\n').slice(1) ?? []

  test('exist once each, in a list in the files’ order, and an undo revokes them', async () => {
    const before = await dumpOf(house.scope)
    const ids = await linkedIds()
    const workflow = create({ expiry_days: 3, email: 'buyer@example.com' })
    const operation = await ended(await house.startOn(workflow, { ids }))
    expect(operation).toMatchObject({
      status: 'success',
      done: LINKED,
      artifact: { filename: /^links-.*\.csv$/ },
    })
    const links = await linksOf(operation.id)
    expect(links.length).toBe(LINKED)
    const rows = await rowsIn(operation.id)
    expect(rows.map((row) => row.split(',')[0])).toEqual((await names()).slice(0, LINKED))
    expect(rows[0]).toMatch(
      /^Manual \d+\.pdf,http:\/\/127\.0\.0\.1\/download\?key=[\w-]{43},buyer@example\.com,[\d-]+T[\d:.]+Z,\d*$/,
    )
    expect(await count('outbox', operation.id)).toBe(0)
    const undone = await ended(await house.engine.undo(house.scope, operation.id, 'Mira', 'admin'))
    expect(undone).toMatchObject({ status: 'success', done: LINKED })
    expect((await linksOf(operation.id)).every(({ revoked }) => revoked)).toBe(true)
    await house.scope.from('links').where('operation_id', operation.id).delete()
    expectSame(await dumpOf(house.scope), before)
  })

  test('are listed by a preview, and none is created', async () => {
    const id = await house.startOn(
      create({ expiry_days: null, email: 'a@example.com', send_emails: true }),
      {
        ids: await linkedIds(),
        dryRun: true,
      },
    )
    await expect.poll(async () => (await read(id)).status).toBe('previewed')
    const [item] = await house.engine.items(house.scope, id, { limit: 1 })
    expect(item).toMatchObject({
      status: 'done',
      after: { link: { expiry_days: null, email: 'a@example.com', send: true } },
    })
    expect([(await linksOf(id)).length, await count('outbox', id)]).toEqual([0, 0])
    await move(id, 'confirm')
    expect(await ended(id)).toMatchObject({ status: 'success', done: LINKED, skipped: 0 })
    expect([(await linksOf(id)).length, await count('outbox', id)]).toEqual([LINKED, LINKED])
    await house.scope.from('links').where('operation_id', id).delete()
  })

  test('for failed files are created by a retry: each is sent once, and the list has all of them', async () => {
    const ids = (await fileIds(house.scope)).slice(0, 300)
    const gone = ids.slice(0, 5)
    const setTrash = (deleted_at: Date | null) =>
      house.scope
        .from('files')
        .whereIn('id', gone)
        .update({ deleted_at } as never)
    await setTrash(new Date())
    const id = await house.startOn(create({ email: 'a@example.com', send_emails: true }), { ids })
    expect(await ended(id)).toMatchObject({ status: 'partial', done: 295, failed: 5 })
    expect([(await rowsIn(id)).length, await count('outbox', id)]).toEqual([295, 295])
    await setTrash(null)
    await move(id, 'retry')
    expect(await ended(id)).toMatchObject({ status: 'success', done: 300, failed: 0 })
    expect([
      (await linksOf(id)).length,
      (await rowsIn(id)).length,
      await count('outbox', id),
    ]).toEqual([300, 300, 300])
    await house.scope.from('links').where('operation_id', id).delete()
  })

  test('created before a cancel are kept and listed', async () => {
    const workflow = { ...create(), parallel: 1 }
    const id = await house.startOn(workflow)
    await begun(id)
    await move(id, 'cancel')
    const { status, done, cancelled } = await ended(id)
    expect({ status, all: done + cancelled }).toEqual({ status: 'cancelled', all: COUNT })
    expect((await linksOf(id)).length).toBe(done)
    expect((await rowsIn(id)).length).toBe(done)
    await house.scope.from('links').where('operation_id', id).delete()
  })
})
