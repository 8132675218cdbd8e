// Documents of operations that a step sends into a connection: written in the background, again after
// a failure. A killed run writes the same path again. Syncs leave these paths out.
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { PortError, say, textOf, type AnyText } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { isDatabaseUnavailable, isRollback } from '../../core/db/error-classes.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { queueTask, RetryLater, type BackgroundTask } from '../../core/queue/background.ts'
import { storedMessage } from '../../core/texts.ts'
import { locateArtifact } from '../../files/artifacts.ts'
import { copyOut, portError, type StoredBytes } from '../../ports/item-bytes.ts'
import type { Cloud } from './cloud.ts'
import { openingOf, requireConnection } from './connections.ts'
import { CloudError } from './rclone/errors.ts'
import type { RemoteFiles } from './rclone/remote-files.ts'

export interface DocumentParts extends Pick<StoredBytes, 'stores'> {
  database: Database
  cloud: Cloud
  log: Logger
  /** The delays after the attempts, in milliseconds; after the last one it has failed. Absent: the usual ones. */
  delays?: readonly number[]
}

const SEND_TASK = { name: 'send-document' } as const

const MINUTE = 60_000
const DELAYS = [1, 5, 30, 2 * 60, 5 * 60].map((minutes) => minutes * MINUTE)
const CONCURRENCY = 2

/** The name of a connection, by its public id; null: there is none. */
export async function connectionName(scope: ShopScope, id: string): Promise<string | null> {
  const uuid = parsePublicId('connection', id)
  if (uuid === null) return null
  const row = await scope.first<{ name: string }>(
    'select name from connections where shop_id = :shop and id = :uuid',
    { uuid },
  )
  return row?.name ?? null
}

/**
 * Queues the operation's document for a connection, in the transaction that ends the step. One `key` is
 * sent once.
 */
export async function queueDocument(
  tx: ShopScope,
  { operation, key }: { operation: string; key: string },
  to: { connection: string; path: string },
): Promise<void> {
  const rows = await tx.query<{ id: string }>(
    `insert into document_sends (shop_id, operation_id, key, connection_id, path)
     select :shop, :operation, :key, c.id, :path from connections c
     where c.shop_id = :shop and c.id = :connection
     on conflict (shop_id, operation_id, key) do nothing returning id`,
    { operation, key, path: to.path, connection: parsePublicId('connection', to.connection) },
  )
  for (const { id } of rows) await queueTask(tx, SEND_TASK, id)
}

/** The paths of a connection that documents are sent to: no sync takes or removes them. */
export async function documentPaths(
  scope: ShopScope,
  connection: string,
): Promise<ReadonlySet<string>> {
  const rows = await scope.query<{ path: string }>(
    'select path from sent_documents where shop_id = :shop and connection_id = :connection',
    { connection },
  )
  return new Set(rows.map(({ path: sent }) => sent))
}

interface SendRow {
  id: string
  operation_id: string
  connection_id: string
  path: string
}

export const documentTask = (parts: DocumentParts): BackgroundTask => ({
  ...SEND_TASK,
  concurrency: CONCURRENCY,
  waits: true,
  wanted: `select shop_id, id::text as key, now() as due_at from document_sends
    where status = 'waiting'`,
  run: async ({ shop, key, attempt, lease, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the document'))
    const send = await scope.first<SendRow>(
      `select id, operation_id, connection_id, path from document_sends
       where shop_id = :shop and id = :key and status = 'waiting'`,
      { key },
    )
    if (!send) return null
    try {
      await write(parts, scope, send, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (isDatabaseUnavailable(error) || isRollback(error)) throw error
      const delay = (parts.delays ?? DELAYS)[attempt - 1]
      if (mayHelp(error) && delay !== undefined) throw retryOf(parts, error, { key, delay })
      if (!(error instanceof CloudError || error instanceof PortError))
        parts.log.error('a document could not be sent', { send: key, ...errorFields(error) })
      await scope.transaction(async (tx) => {
        await lease.hold(tx)
        await fail(tx, send, error)
      })
      return null
    }
    await scope.transaction(async (tx) => {
      await lease.hold(tx)
      await end(tx, send, null)
    })
    return null
  },
})

const mayHelp = (error: unknown): boolean =>
  error instanceof CloudError
    ? error.retryable || error.code === 'cloud_access_revoked'
    : !(error instanceof PortError) || error.retryable

function retryOf(
  { log }: DocumentParts,
  error: unknown,
  { key, delay }: { key: string; delay: number },
): RetryLater {
  log.warn('a document could not be sent, it will be tried again', {
    send: key,
    ...errorFields(error),
  })
  const seconds = error instanceof CloudError ? (error.retryAfter ?? 0) : 0
  return new RetryLater(Math.max(delay, seconds * 1000), { cause: error })
}

async function write(
  { cloud, stores }: DocumentParts,
  scope: ShopScope,
  send: SendRow,
  signal: AbortSignal,
): Promise<void> {
  const document = await locateArtifact(scope, send.operation_id)
  if (!document) throw portError('file_not_found')
  const connection = await requireConnection(scope, send.connection_id)
  const open = await cloud.open(scope, openingOf(cloud, scope, connection))
  const folder = path.join(cloud.stagingFolder, connection.id, randomUUID())
  const file = path.join(folder, 'document')
  try {
    await claimPath(scope, send, open.files, signal)
    await mkdir(folder, { recursive: true })
    await copyOut(scope, { stores }, document, file, signal)
    await open.files.put(send.path, file, signal)
  } catch (error) {
    if (error instanceof CloudError && error.code === 'cloud_access_revoked')
      cloud.renewToken(connection.id)
    throw error
  } finally {
    open.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Notes the path before anything is written there, so that no sync takes the document as a file. Throws
 * if the provider has another file there.
 */
async function claimPath(
  scope: ShopScope,
  { connection_id: connection, path: to }: SendRow,
  files: RemoteFiles,
  signal: AbortSignal,
): Promise<void> {
  if ((await documentPaths(scope, connection)).has(to)) return
  const found = await files.stat(to, signal).catch((error: unknown) => {
    if (error instanceof CloudError && error.code.endsWith('_not_found')) return null
    throw error
  })
  if (found !== null)
    throw new PortError(
      'duplicate_filename',
      say('The connection has another file {path}: choose another name or folder', { path: to }),
      false,
    )
  await scope.query(
    `insert into sent_documents (shop_id, connection_id, path) values (:shop, :connection, :to)
     on conflict do nothing`,
    { connection, to },
  )
}

const end = (tx: ShopScope, { id }: SendRow, error: AnyText | null): Promise<unknown> =>
  tx.query(
    `update document_sends set status = :status, error = :error, ended_at = now()
     where shop_id = :shop and id = :id`,
    {
      id,
      status: error === null ? 'sent' : 'failed',
      error: error === null ? null : JSON.stringify(storedMessage(error)),
    },
  )

async function fail(tx: ShopScope, send: SendRow, error: unknown): Promise<void> {
  const reason = reasonOf(error)
  await end(tx, send, reason)
  const connection = await tx.first<{ name: string }>(
    'select name from connections where shop_id = :shop and id = :id',
    { id: send.connection_id },
  )
  await raiseNotice(tx, {
    level: 'critical',
    title: say('A document could not be sent'),
    body: say(
      '{path} was not written to the connection {connection}: {reason}. The document can be downloaded from its operation; correct the connection, then run the workflow again.',
      { path: send.path, connection: connection?.name ?? '', reason },
    ),
    operation_id: send.operation_id,
  })
}

function reasonOf(error: unknown) {
  if (error instanceof CloudError) return error.text
  if (error instanceof PortError) return textOf(error.texts.message)
  return say('something went wrong on our side')
}
