// The engine on a real database, disk and workers, with the plugins that a test lists.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  definePlugin,
  type Entry,
  type Outcome,
  type Plugin,
  type Workflow,
} from '../plugins/contract/index.ts'
import type { Limits } from '../server/core/configuration/limits.ts'
import { openListener } from '../server/core/db/listener.ts'
import { forShop, type ShopScope } from '../server/core/db/for-shop.ts'
import { createEngine, type Engine } from '../server/engine/engine.ts'
import { hasEnded } from '../server/engine/lifecycle.ts'
import type { ItemRow } from '../server/engine/items.ts'
import type { OperationRow } from '../server/engine/types.ts'
import type { OperationSource } from '../server/engine/freeze.ts'
import type { StartInput } from '../server/engine/start.ts'
import type { EngineParts } from '../server/engine/parts.ts'
import type { BackgroundTask } from '../server/core/queue/background.ts'
import { startWorker, type EngineWorker } from '../server/engine/worker.ts'
import { draftFrom } from '../server/files/drafts.ts'
import { shopSettingsSchema } from '../server/files/shop-settings.ts'
import { allEffects, allEnds, allListings, GUARDS, OPERATION_MESSAGES } from '../server/features.ts'
import { portsFactory } from '../server/startup/ports.ts'
import type { Cloud } from '../server/features/cloud/cloud.ts'
import type { Storefront } from '../server/storefront/storefront.ts'
import { openUploadFolder } from '../server/features/upload/upload.ts'
import type { CheckBlob } from '../server/ports/repair.ts'
import { checkBlob } from '../server/files/blob-checks.ts'
import { Sha256Sums } from '../server/files/sha256-sums.ts'
import { createGuardedClient } from '../server/ports/guarded-fetch.ts'
import type { HostTurnOptions } from '../server/ports/host-turns.ts'
import { withScratch } from '../server/ports/scratch.ts'
import { createSandboxes } from '../server/ports/sandbox.ts'
import { createSecrets } from '../server/core/secrets.ts'
import { createDiskStore } from '../server/core/store/disk.ts'
import { createTestShop, openTestDatabase, silent } from './database.ts'
import { WAIT_MS } from './wait.ts'

export interface TestEngine {
  parts: EngineParts
  engine: Engine
  shop: number
  scope: ShopScope
  /** The folder of the stores `primary` and `backup`. */
  folder: string
  startWorker(limits?: Partial<Limits>, tasks?: readonly BackgroundTask[]): Promise<EngineWorker>
  /** Starts an import of entries with these names; the workflow's steps decide the rest. */
  start(
    workflow: Workflow,
    names: readonly string[],
    idempotencyKey?: string,
    onConflict?: Entry['on_conflict'],
  ): Promise<string>
  /** Starts an import of these URLs. */
  startImport(
    workflow: Workflow,
    files: readonly { filename: string; url: string }[],
    onConflict?: Entry['on_conflict'],
  ): Promise<string>
  /** Starts a workflow on existing files: on all, or on `ids`. `dryRun`: as a preview. */
  startOn(
    workflow: Workflow,
    given?: { ids?: readonly string[]; dryRun?: boolean },
  ): Promise<string>
  untilEnd(operation: string): Promise<{ operation: OperationRow; items: ItemRow[] }>
  close(): Promise<void>
}

/** Generates each item's bytes from its name, so that tests need no origin. */
export const makeBytes = definePlugin({
  id: 'make-bytes',
  kind: 'fetch',
  title: 'Make bytes',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['stage'],
  bytes: true,
  async *plan(items) {
    for (const item of items) yield { item: item.id, status: 'ok' }
  },
  async *run(items, _options, context): AsyncGenerator<Outcome> {
    for (const item of items) {
      const bytes = await context.stage.write(
        Readable.from([Buffer.from(item.file.filename)]),
        null,
        context.signal,
      )
      yield { item: item.id, status: 'ok', bytes }
    }
  },
})

/** A platform without products or orders. */
const emptyStorefront = {
  catalog: () => ({ findBySku: () => Promise.resolve(new Map()) }),
  orders: () => ({}),
} as unknown as Storefront

export const workflowOf = (...plugins: readonly string[]): Workflow => ({
  id: 'test',
  title: 'Test',
  action: 'import',
  kind: 'import',
  parallel: 2,
  steps: plugins.map((plugin) => ({ id: plugin, plugin })),
})

/** An entry of an import, with its draft. The plugin `make-bytes` fetches nothing from `url`. */
export const entryOf = (
  filename: string,
  on_conflict: Entry['on_conflict'] = 'error',
  url = 'http://127.0.0.1/',
) => ({
  entry: { filename, source: { type: 'url' as const, url }, on_conflict },
  draft: draftFrom({ filename }, shopSettingsSchema.parse({})),
})

export async function createTestEngine(
  plugins: readonly Plugin[],
  workflows: readonly Workflow[],
  quotas: Partial<Limits> = {},
  turns: HostTurnOptions = {},
): Promise<TestEngine> {
  const database = await openTestDatabase()
  const listener = await openListener(database.url, silent)
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-engine-'))
  const store = createDiskStore({ folder: path.join(folder, 'primary') })
  const backup = createDiskStore({ folder: path.join(folder, 'backup') })
  const stores = new Map([
    ['primary', store],
    ['backup', backup],
  ])
  const sandboxes = createSandboxes(silent)
  const uploads = openUploadFolder(path.join(folder, 'uploads'))
  const client = createGuardedClient({ allowLoopback: true, fileBytes: 1e9, turns })
  const limits = {
    jobs_at_once: 8,
    slow_after_seconds: 5,
    file_bytes: 1e9,
    large_file_bytes: 1e8,
    background_delete: 100,
    background_update: 500,
    ...quotas,
  } as Limits
  const secrets = createSecrets('the secret of the tests, long enough')
  const clock = () => new Date()
  const check: CheckBlob = (blob, signal) =>
    checkBlob({ database, stores, log: silent, clock }, blob, signal)
  const parts: EngineParts = {
    database,
    listener,
    plugins,
    workflows,
    limits,
    log: silent,
    secrets,
    messages: OPERATION_MESSAGES,
    effects: allEffects({ limits, secrets, plugins, baseUrl: 'http://127.0.0.1' }),
    ends: allEnds({ secrets, plugins }),
    guards: GUARDS,
    messageWords: new Map(),
    withScratch,
    listings: allListings({
      secrets,
      baseUrl: 'http://127.0.0.1',
      stores,
      check,
      sums: new Sha256Sums({ database, stores, log: silent, clock }),
    }),
    ports: portsFactory({
      database,
      client,
      stores,
      uploads,
      secrets,
      sandboxes,
      storefront: emptyStorefront,
      // No sync runs in these tests.
      cloud: {} as Cloud,
      clock,
      baseUrl: 'http://127.0.0.1',
      log: silent,
      quotas: limits,
      scanner: null,
    }),
  }
  const engine = createEngine(parts)
  const close = async () => {
    sandboxes.close()
    await listener.close()
    await client.close()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  return testEngineOn({ parts, engine, folder, close })
}

/** The engine with a shop, and the actions of tests on it. @param domain of the shop. */
export async function testEngineOn(
  { parts, engine, folder, close }: Pick<TestEngine, 'parts' | 'engine' | 'folder' | 'close'>,
  domain?: string,
): Promise<TestEngine> {
  const { database, limits } = parts
  const shop = await createTestShop(database, domain)
  const scope = forShop(database, shop)
  const start = (workflow: Workflow, source: OperationSource, more: Partial<StartInput> = {}) =>
    engine.start(scope, {
      workflow,
      channel: 'api',
      source,
      request: {},
      requestedBy: 'test',
      ...more,
    })
  const sourceOf = (
    files: readonly { filename: string; url?: string }[],
    onConflict?: Entry['on_conflict'],
  ): OperationSource => ({
    type: 'entries',
    entries: files.map(({ filename, url }) => entryOf(filename, onConflict, url)),
  })
  return {
    parts,
    engine,
    shop,
    scope,
    folder,
    startWorker: (given = {}, tasks = []) =>
      startWorker({ ...parts, limits: { ...limits, ...given } }, () => Promise.resolve(), tasks),
    start: (workflow, names, idempotencyKey, onConflict) =>
      start(
        workflow,
        sourceOf(
          names.map((filename) => ({ filename })),
          onConflict,
        ),
        idempotencyKey === undefined ? {} : { idempotencyKey },
      ),
    startImport: (workflow, files, onConflict) => start(workflow, sourceOf(files, onConflict)),
    startOn: (workflow, { ids, dryRun = false } = {}) =>
      start(workflow, ids ? { type: 'files', ids } : { type: 'filter', filter: {} }, { dryRun }),
    untilEnd: async (id) => {
      const operation = await engine.waitForEnd(scope, id, WAIT_MS, new AbortController().signal)
      if (!operation || !hasEnded(operation))
        throw new Error(`The operation did not end: ${JSON.stringify(operation)}`)
      return { operation, items: await engine.items(scope, id, { limit: 10_000 }) }
    },
    close,
  }
}
