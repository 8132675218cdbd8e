// Drop folders: how to connect, how files are imported, and importing them immediately.
import { z } from 'zod'
import { sayPlain, type Text, say } from '../../../plugins/contract/index.ts'
import type { DropAddress } from '../../core/configuration/drop-settings.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { requirePublicId } from '../../core/ids.ts'
import { publicId } from '../../core/public-id.ts'
import type { Logger } from '../../core/log.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { BlobStore } from '../../core/store/store.ts'
import type { WholeBlobs } from '../../files/whole-blobs.ts'
import { present } from '../../core/lazy.ts'
import { type Endpoint, requireImportScopes } from '../../http/endpoint.ts'
import { errorSchema, onConflict, timestamp } from '../../http/schemas.ts'
import { queueTask } from '../../core/queue/background.ts'
import { AppError } from '../../core/errors.ts'
import { operationPath, operationRecord, operationSchema } from '../operations/record.ts'
import { waitingBytes } from './entries.ts'
import { quotaLimits, waitingLimit } from './quota.ts'
import { KEPT_DAYS } from './own-folders.ts'
import {
  countWaiting,
  QUIET_SECONDS,
  takeReady,
  type ImportedFiles,
  type TakeParts,
} from './import/take.ts'
import { homeOf } from './paths.ts'
import { isDropRunning } from './processes.ts'
import {
  changeSettings,
  FOLDER_NAMES,
  MATCH_BY,
  readSettings,
  SCHEDULES,
  ensureSettings,
} from './settings.ts'
import { hostKeyFingerprints } from './shared-secrets.ts'
import { dropAccountRoutes, dropReading, dropWriting } from './routes/account-endpoints.ts'
import { dropCredentialsRoutes } from './routes/credentials-endpoints.ts'
import { dropFileRoutes } from './routes/file-endpoints.ts'
import { readDropFile } from './listing.ts'
import { DROP_TASK } from './wake.ts'

export interface DropRouteParts {
  log: Logger
  database: Database
  engine: Engine
  stores: ReadonlyMap<string, BlobStore>
  blobs: WholeBlobs
  secrets: Secrets
  drop: DropAddress
  limits: Limits
  clock: () => Date
}

const settings = {
  enabled: z.boolean().describe('Off: nobody can connect'),
  tls_required: z.boolean().describe('FTP is refused unless it is encrypted'),
  auto_import: z.boolean().describe('Off: files wait until they are imported by hand'),
  schedule: z
    .enum(SCHEDULES)
    .describe(
      `hourly: at each full hour, files that nothing has changed for ${QUIET_SECONDS} seconds; realtime: each file as soon as it is complete; manual: only on request`,
    ),
  match_by: z
    .enum(MATCH_BY)
    .describe(
      'sku_prefix: by names like {product_sku}_{filename}.ext, others are mapped by hand; rules: by the shop’s settings',
    ),
  notify: z.boolean().describe('An email when an import has ended'),
  move_to_processed: z
    .boolean()
    .describe(
      'Imported files are moved to /processed/YYYY-MM-DD/; false: they are removed from the folder',
    ),
  folder_names: z.enum(FOLDER_NAMES).describe('How the name of a file’s folder is used'),
  on_conflict: onConflict.describe('What to do if the shop has a file with the name'),
}
const settingsBody = z
  .strictObject(settings)
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: sayPlain('Name at least one field to change'),
  })
  .meta({ id: 'DropSettingsChange' })

const dropSchema = z
  .object({
    ...settings,
    running: z
      .boolean()
      .describe('false: no drop server runs, so that nobody can connect; its log says why'),
    host: z.string(),
    sftp_port: z.number(),
    ftp_port: z.number(),
    path: z.string(),
    host_keys: z
      .array(z.object({ type: z.string(), fingerprint: z.string() }))
      .describe('What SFTP clients show when they connect for the first time'),
    next_import_at: timestamp.nullable().describe('Of the hourly schedule'),
    waiting: z.object({ files: z.number(), bytes: z.number() }),
    quota: z.object({ used_bytes: z.number(), max_bytes: z.number() }),
    limits: z.object({
      file_bytes: z.number(),
      clear_after_days: z.number().describe('Of /processed/ and /failed/'),
      quiet_seconds: z.number(),
    }),
  })
  .meta({ id: 'Drop' })

export const dropRoutes = (parts: DropRouteParts): Endpoint[] => [
  ...settingsRoutes(parts),
  importRoute(parts),
  ...dropAccountRoutes(parts.drop),
  ...dropCredentialsRoutes(parts.drop),
  ...dropFileRoutes(parts),
]

type Settings = Awaited<ReturnType<typeof readSettings>>

async function recordOf(
  { database, secrets, drop, limits }: DropRouteParts,
  scope: ShopScope,
  { next_import_at, ...own }: Settings,
): Promise<z.output<typeof dropSchema>> {
  const { host, sftpPort, ftpPort } = drop
  const [running, host_keys, waiting, used_bytes, max_bytes] = await Promise.all([
    isDropRunning(database),
    hostKeyFingerprints(database, secrets),
    countWaiting(scope),
    waitingBytes(scope, null),
    waitingLimit(scope, quotaLimits(limits)),
  ])
  return {
    ...own,
    running,
    host,
    sftp_port: sftpPort,
    ftp_port: ftpPort,
    path: `${homeOf(scope.shop)}/`,
    host_keys,
    next_import_at: next_import_at?.toISOString() ?? null,
    waiting,
    quota: { used_bytes, max_bytes },
    limits: {
      file_bytes: limits.file_bytes,
      clear_after_days: KEPT_DAYS,
      quiet_seconds: QUIET_SECONDS,
    },
  }
}

function settingsRoutes(parts: DropRouteParts): Endpoint[] {
  return [
    dropReading('GET /api/drop', {
      summary: 'Read how to connect, how files are imported, and what waits',
      replies: { 200: { description: 'Host, ports, path and settings', schema: dropSchema } },
      handler: async ({ caller: { scope } }) => {
        await ensureSettings(scope, parts.drop.schedule)
        return { body: await recordOf(parts, scope, await readSettings(scope)) }
      },
    }),
    dropWriting('PATCH /api/drop', {
      logs: { kind: 'drop_settings' },
      summary: 'Change some of the settings',
      description:
        'A change of `enabled` or `tls_required` ends open sessions within a second. `on_conflict` `overwrite` and `new_version` need `files:write` too.',
      body: settingsBody,
      replies: {
        200: { description: 'All of them', schema: dropSchema },
        422: { description: 'Every problem', schema: errorSchema },
      },
      handler: async ({ caller, body }) => {
        requireImportScopes(caller, body.on_conflict ?? 'error')
        const changed = await caller.scope.transaction(async (tx) => {
          await ensureSettings(tx, parts.drop.schedule)
          return changeSettings(tx, body)
        })
        return { body: await recordOf(parts, caller.scope, changed) }
      },
    }),
  ]
}

const importRoute = ({ engine, stores, blobs, clock, drop }: DropRouteParts): Endpoint =>
  dropWriting('POST /api/drop/import', {
    summary: 'Import the waiting files of the drop folder now',
    description:
      'Takes every complete file: SFTP files immediately, FTP files after the client’s next command or 30 seconds. With `dry_run` it is only a preview until it is confirmed: the files wait meanwhile, and a file that another import takes or that is sent again is left out.',
    query: z.strictObject({
      file_id: publicId('dropped', 'a dropped file').optional().describe('Only this one'),
    }),
    body: z.strictObject({ dry_run: z.boolean().optional() }).default({}),
    replies: {
      202: { description: 'The import, or its preview', schema: operationSchema },
      409: { description: 'No file is ready', schema: errorSchema },
      422: { description: 'A preview: every problem of an import.csv', schema: errorSchema },
    },
    handler: async ({ caller, query: { file_id }, body }) => {
      await ensureSettings(caller.scope, drop.schedule)
      const id = await importNow({ engine, stores, blobs }, caller.scope, {
        requestedBy: caller.name,
        only: file_id === undefined ? undefined : requirePublicId('dropped', file_id),
        dryRun: body.dry_run ?? false,
      })
      const operation = present(await engine.get(caller.scope, id), 'The operation')
      return {
        status: 202,
        headers: { Location: operationPath(operation) },
        body: operationRecord(engine, operation, clock()),
      }
    },
  })

// Imports the files that wait in the drop folder, on a person's request.

export interface ImportNow {
  requestedBy: string
  /** Imports only this file, by its UUID. */
  only?: string | undefined
  /** Whether the import is only a preview until it is confirmed. */
  dryRun: boolean
  /** The maximum number of files in one import; tests set a lower one. */
  limit?: number
}

/**
 * Starts as many imports as the waiting files need; a preview is always one. Returns the UUID of
 * the first. Throws `not_found` if there is no such file, `conflict` if none is ready, errors of
 * starting an import, and for a preview as `takeReady` does.
 * Exported for tests.
 */
export async function importNow(
  parts: TakeParts,
  scope: ShopScope,
  { requestedBy, only, dryRun, limit }: ImportNow,
): Promise<string> {
  if (only !== undefined && !(await readDropFile(scope, only))) throw new AppError('not_found')
  const take = { requestedBy, prompt: true, growing: false, only, dryRun, limit }
  const taken = await takeReady(parts, scope, take)
  if (!taken) throw new AppError('conflict', { message: await nothingReadyReason(scope) })
  let last: ImportedFiles | null = taken
  while (last?.isFull && !dryRun && only === undefined) last = await takeReady(parts, scope, take)
  // The task's run moves the files away when their items end.
  await queueTask(scope, DROP_TASK, String(scope.shop))
  return taken.operation
}

async function nothingReadyReason(scope: ShopScope): Promise<Text> {
  const { files } = await countWaiting(scope)
  const row = await scope.one<{ writing: number }>(
    `select count(*)::int as writing from drop_entries where shop_id = :shop and state = 'writing'`,
  )
  if (files > 0)
    return say(
      'The files came less than {count} seconds ago, or wait for an import.csv: try again soon',
      { count: QUIET_SECONDS },
    )
  if (row.writing > 0)
    return say('The files are still being sent: import them once they are complete')
  return say('No file in the drop folder waits to be imported')
}
