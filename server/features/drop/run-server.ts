// Opens the drop server, and logs what its operator should know.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Certificate } from '../../core/configuration/drop-settings.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { portProblem, type WantedPort } from '../../core/port-problem.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/lazy.ts'
import { WholeBlobs } from '../../files/whole-blobs.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { readShop } from '../../files/shop-settings.ts'
import type { BlobStore } from '../../core/store/store.ts'
import { abortsOnCollection, hasNativeCrypto } from './native-crypto.ts'
import type { FtpOptions } from './ftp/options.ts'
import { createFtpServer } from './ftp/ftp-server.ts'
import { createRefusals } from './refusals.ts'
import { createUnsignedPlaces } from './unsigned-places.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from './connection-limits.ts'
import { createConfirmations } from './confirmations.ts'
import { createWaker } from './wake.ts'
import { createSessions } from './sessions.ts'
import { createSftpServer } from './sftp.ts'
import { hostKeys, ownCertificate } from './shared-secrets.ts'
import { createSignIn } from './sign-in.ts'
import type { TransferParts } from './transfer.ts'
import { openTransfers } from './transfers.ts'
import { endLost } from './connections.ts'
import { isGone } from './processes.ts'
import { releaseBytes } from './dropped-bytes.ts'
import { commitBytes } from './writes.ts'

export async function runDropServer(parts: DropServerParts): Promise<DropServer> {
  const { log, certificate } = parts
  const server = await openDropServer(parts)
  const { sftpPort, ftpPort } = server
  log.info('the drop server is ready', { sftpPort, ftpPort })
  if (!hasNativeCrypto())
    log.info('SFTP runs without ssh2’s native build: its uploads are a third slower', {
      node: process.version,
    })
  else if (abortsOnCollection())
    log.warn('ssh2’s native build can end the drop server when a client disconnects: npm rebuild', {
      node: process.version,
    })
  const { validTo } = certificate ? new X509Certificate(certificate.cert) : {}
  if (validTo && Date.parse(validTo) < Date.now())
    log.warn('the certificate of DROP_TLS_CERT has expired: FTP clients refuse it', {
      expired: validTo,
    })
  return server
}

// The drop server of one process: SFTP and FTP on one file system. Any number of processes share a
// database and a store.

export interface DropServerParts extends Omit<TransferParts, 'waker' | 'confirmations' | 'blobs'> {
  secrets: Secrets
  /** The address on which the server listens. */
  host: string
  sftpPort: number
  ftpPort: number
  /** The host to which merchants connect; a generated certificate is for it. */
  publicHost: string
  /** The certificate of FTP over TLS; null: one is generated. */
  certificate: Certificate | null
  passive: FtpOptions['passive']
  connectionLimits?: ConnectionLimits
}

export interface DropServer {
  sftpPort: number
  ftpPort: number
  close(): Promise<void>
}

const RECOVER_EVERY_MS = 60_000

/** Exported for tests. */
export async function openDropServer(given: DropServerParts): Promise<DropServer> {
  const { database, secrets, log } = given
  const waker = createWaker(database, log)
  const blobs = new WholeBlobs({ ...given, clock: () => new Date() })
  const parts = { ...given, blobs, waker, confirmations: createConfirmations(database, waker) }
  const keys = await hostKeys(database, secrets)
  const certificate =
    parts.certificate ?? (await ownCertificate(database, secrets, parts.publicHost))
  const transfers = await openTransfers(parts)
  const recover = () =>
    recoverTransfers(parts).then(
      (count) => void (count > 0 && log.info('drop: kept interrupted transfers', { count })),
      (error: unknown) => log.warn('drop: recovery failed', errorFields(error)),
    )
  await recover()
  const timer = setInterval(() => void recover(), RECOVER_EVERY_MS)
  const { connectionLimits = CONNECTION_LIMITS } = given
  const refusals = createRefusals(database, log)
  const sessions = createSessions({ ...parts, connectionLimits, refusals }, transfers)
  const signIn = createSignIn(database, log, refusals)
  const places = createUnsignedPlaces(connectionLimits, refusals)
  const about = { signIn, sessions, log, limits: connectionLimits, places, refusals }
  const sftp = createSftpServer({ ...about, hostKeys: keys })
  const ftp = createFtpServer({ ...about, certificate, passive: parts.passive })
  const sockets = [sftp, ftp].map(socketsOf)
  const close = async () => {
    clearInterval(timer)
    const closed = [sftp, ftp].map((server) => new Promise((resolve) => server.close(resolve)))
    await sessions.close()
    await transfers.close()
    // Sockets of clients that have not signed in belong to no session.
    for (const socket of sockets.flatMap((open) => [...open])) socket.destroySoon()
    await Promise.all(closed)
    await refusals.close()
  }
  try {
    const { host } = parts
    const [sftpPort, ftpPort] = await listenAll([
      { server: sftp, port: parts.sftpPort, host, setting: 'SFTP_PORT' },
      { server: ftp, port: parts.ftpPort, host, setting: 'FTP_PORT' },
    ])
    return {
      sftpPort: present(sftpPort, 'The port of SFTP'),
      ftpPort: present(ftpPort, 'The port of FTP'),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function socketsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

interface ListenAddress extends WantedPort {
  server: Server
}

/** Listens on all ports. The error names every port that cannot be used, not only the first. */
async function listenAll(all: readonly ListenAddress[]): Promise<number[]> {
  const done = await Promise.allSettled(all.map(listenOn))
  const problems = done.flatMap((one) =>
    one.status === 'rejected' ? [(one.reason as Error).message] : [],
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return all.map(({ server }) => (server.address() as AddressInfo).port)
}

async function listenOn({ server, ...wanted }: ListenAddress): Promise<void> {
  server.listen(wanted.port, wanted.host)
  await once(server, 'listening').catch((error: unknown) => {
    throw new Error(portProblem(error, wanted), { cause: error })
  })
}

// Recovers transfers of processes that died: their bytes on this machine become an interrupted
// file, which the client can resume.

export interface RecoveryParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  staging: string
  log: Logger
}

interface Orphan {
  shop_id: number
  id: string
  write_id: string
  protocol: string
  size_bytes: number
  hash: string | null
  location: string | null
  /** Whether the process died so long ago that its machine will not recover the bytes. */
  late: boolean
}

/**
 * A machine recovers its own transfers when it restarts; other machines wait this long for it.
 */
const GRACE = '1 minute'

const ORPHANS = `
  select shop_id, id, write_id, protocol, size_bytes, encode(hash, 'hex') as hash, location,
    writing_since < now() - interval '${GRACE}' as late
  from drop_entries e where state = 'writing' and ${isGone('e.process')}`

/** Recovers transfers and returns their number. Several processes may run it concurrently. */
export async function recoverTransfers(parts: RecoveryParts): Promise<number> {
  const { rows } = await parts.database.pool.query<Orphan>(ORPHANS)
  const here = new Set(await readdir(parts.staging).catch(() => []))
  let recovered = 0
  for (const orphan of rows) {
    if (!here.has(orphan.write_id) && !orphan.late) continue
    const kept = await recoverTransfer(parts, orphan, here.has(orphan.write_id)).catch(
      (error: unknown) => {
        parts.log.warn('drop: an interrupted transfer could not be kept', errorFields(error))
        return false
      },
    )
    if (kept) recovered++
  }
  await removeUnknown(parts, [...here])
  await endLost(parts.database)
  return recovered
}

async function recoverTransfer(
  parts: RecoveryParts,
  orphan: Orphan,
  here: boolean,
): Promise<boolean> {
  const scope = forShop(parts.database, orphan.shop_id)
  const file = path.join(parts.staging, orphan.write_id)
  const { hash, location, size_bytes } = orphan
  const before = { hash, location, size_bytes: hash === null ? 0 : size_bytes }
  const bytes = here ? await storeFile(parts, scope, file) : before
  const { id, write_id: writeId, protocol } = orphan
  const ended = { protocol, clean: false, modifiedAt: null, ...bytes }
  const dropped = await commitBytes(parts.database, { shop: scope.shop, id, writeId }, ended)
  await releaseBytes(parts, scope.shop, dropped ?? { placed: null, ...bytes })
  await rm(file, { force: true })
  return dropped !== null
}

/**
 * Copies the file into the store instead of linking it: if the process is still alive, it would
 * change the blob's bytes.
 */
async function storeFile({ stores }: RecoveryParts, scope: ShopScope, file: string) {
  const location = (await readShop(scope)).settings.storage_location
  const { size } = await stat(file)
  const bytes =
    size === 0 ? [] : createReadStream(file, { end: size - 1, highWaterMark: 256 * 1024 })
  const written = await present(stores.get(location), `The location ${location}`).write(
    scope.shop,
    asSource(bytes),
  )
  return { ...written, location }
}

async function* asSource(
  bytes: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array> {
  yield* bytes
}

/** A running transfer creates its staging file shortly before its row. */
const MIN_AGE_MS = 10 * 60_000

/** Removes old staging files without a transfer. */
async function removeUnknown(
  { database, staging }: RecoveryParts,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const { rows } = await database.pool.query<{ write_id: string }>(
    `select write_id::text from drop_entries where write_id::text = any($1)`,
    [names],
  )
  const known = new Set(rows.map(({ write_id }) => write_id))
  for (const name of names) {
    if (known.has(name)) continue
    const file = path.join(staging, name)
    const changed = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    )
    if (changed < Date.now() - MIN_AGE_MS) await rm(file, { force: true })
  }
}
