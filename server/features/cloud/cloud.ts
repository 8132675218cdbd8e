// What cloud connections share in one process: the rclone program, the proxy, and opening a
// connection's remote.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { folderFiles } from './folder/folder-files.ts'
import {
  openBroker,
  type Broker,
  tokenSource,
  type OAuthClients,
  type OAuthFetch,
  missingOf,
} from './set-up.ts'
import type { Provider, Values } from './providers/provider.ts'
import { PROVIDERS } from './providers/providers.ts'
import { openGuardProxy, type Dial, type GuardProxy } from './proxy.ts'
import { CloudError } from './rclone/errors.ts'
import { findRclone, type RcloneProgram } from './rclone/program.ts'
import type { RemoteFiles, RemoteFile } from './rclone/remote-files.ts'
import { fetchObjects } from './rclone/fetch.ts'
import {
  listFolders,
  listOne,
  listRemoteFiles,
  PATIENCE,
  type RunOptions,
} from './rclone/listing.ts'
import { type Remote, rootPath, limits } from './rclone/remote.ts'
import { runRclone, type Run } from './rclone/run.ts'

export interface CloudOptions {
  /** The value of RCLONE_EXECUTABLE. */
  executable: string | null
  dataDir: string
  /** The maximum number of files in one listing. */
  maxFiles: number
  allowLoopback: boolean
  /** Demo mode has a sample provider. */
  demo: boolean
  clients: OAuthClients
  /** The start of this server's addresses, without a trailing slash. */
  baseUrl: string
  secrets: Secrets
  log: Logger
  /** Tests redirect host names of providers to their emulators. */
  emulators?: {
    dial: Dial
    environment: Readonly<Record<string, string>>
    /** The certificate that the emulators use. */
    certificate?: string
    fetch: OAuthFetch
  }
}

/** A remote that can be used until it is closed. */
export interface OpenRemote {
  files: RemoteFiles
  close(): void
}

/** The values that open a connection's remote. */
export interface RemoteAccess {
  /** The connection's UUID; null: the connection is not stored yet. */
  id: string | null
  provider: Provider
  settings: Values
  secrets: Values
  bytesPerSecond: number | null
}

export interface Cloud {
  rclone: RcloneProgram
  options: CloudOptions
  /** The providers of this installation; `missing` says what a provider still needs. */
  providers: readonly Provider[]
  /** Opens the remote of a connection. Throws `CloudError`. */
  open(scope: ShopScope, opening: RemoteAccess): Promise<OpenRemote>
  /** The provider refused the access token before its expiry: the next run gets another one. */
  renewToken(connection: string): void
  /** The maximum number of files in one listing. */
  maxFiles: number
  /** The folder of objects that are being copied into the storage location. */
  stagingFolder: string
  close(): Promise<void>
}

export async function openCloud(options: CloudOptions): Promise<Cloud> {
  const { dataDir, log, demo, emulators } = options
  const rclone = await findRclone(options.executable)
  for (const provider of PROVIDERS) {
    const missing = missingOf(options, provider)
    if (missing.length > 0)
      log.info('a cloud provider is not offered', {
        provider: provider.id,
        not_set: missing.join(', '),
      })
  }
  if (rclone.message !== null) log.info('cloud connections cannot sync', { reason: rclone.message })
  const demoFolder = path.join(dataDir, 'demo-cloud')
  if (demo) await mkdir(demoFolder, { recursive: true })
  let proxy: Promise<GuardProxy> | null = null
  let broker: Promise<Broker> | null = null
  const tokens = tokenSource(options)
  return {
    rclone,
    options,
    providers: PROVIDERS.filter(({ signIn }) => demo || signIn !== 'none'),
    maxFiles: options.maxFiles,
    stagingFolder: path.join(dataDir, 'cloud'),
    renewToken: tokens.forget,
    open: async (scope, { id, provider, settings, secrets, bytesPerSecond }) => {
      if (provider.folder)
        return { files: folderFiles(provider.folder(settings, demoFolder)), close: () => {} }
      const program = rclone.path
      if (program === null) throw new CloudError('cloud_unavailable')
      const place = { allowLoopback: options.allowLoopback }
      const remote = provider.remote({ settings, secrets, place })
      const bandwidth =
        bytesPerSecond === null ? null : Math.max(1, Math.ceil(bytesPerSecond / 1024))
      const guard = await (proxy ??= openGuardProxy(emulators))
      const { tunnels, forwards } = guard
      const way = remote.forwarded ? forwards : tunnels
      const environment = { ...way, ...emulators?.environment }
      const filesOf = (given: Values) =>
        rcloneFiles(program, { ...remote, settings: given, bandwidth }, environment)
      if (remote.local !== undefined) {
        const ENDPOINT = await guard.localEndpoint(remote.local)
        return { files: filesOf({ ...remote.settings, ENDPOINT }), close: () => {} }
      }
      if (!provider.oauth) return { files: filesOf(remote.settings), close: () => {} }
      if (id === null || secrets.refresh_token === undefined)
        throw new CloudError('cloud_access_revoked')
      const grant = (await (broker ??= openBroker())).grant((again) =>
        tokens.accessToken(scope, id, provider, again),
      )
      return { files: filesOf({ ...remote.settings, ...grant.settings }), close: grant.end }
    },
    close: async () => {
      await (await proxy)?.close()
      await (await broker)?.close()
    },
  }
}

// The files of a remote through rclone.

/** @param environment variables of the proxy and its certificates. */
function rcloneFiles(
  program: string,
  remote: Remote,
  environment: Readonly<Record<string, string>>,
): RemoteFiles {
  const by = (signal: AbortSignal) => ({ environment, signal })
  return {
    approximate: remote.approximate ?? false,
    list: (options) => listRemoteFiles(program, remote, { environment, ...options }),
    stat: (path, signal) => listOne(program, remote, path, by(signal)),
    folders: (path, options) => listFolders(program, remote, path, { environment, ...options }),
    fetch: (paths, options) => fetchObjects(program, remote, paths, { environment, ...options }),
    put: (path, file, signal) => putObject(program, remote, path, file, by(signal)),
    move: (from, to, signal) => moveObject(program, remote, from, to, by(signal)),
    remove: (path, signal) => deleteObject(program, remote, path, by(signal)),
    probe: (signal) => probeRoot(program, remote, by(signal)),
  }
}

// Checks that a remote can be listed: reads its root until the first entry or the end.

const PROBE_MS = 40_000

/** Checks that the root can be listed. Throws `CloudError`, or the reason of `signal`. */
async function probeRoot(
  program: string,
  remote: Remote,
  { environment, signal }: RunOptions,
): Promise<void> {
  const enough = new AbortController()
  try {
    await runRclone(program, {
      environment,
      signal: AbortSignal.any([signal, enough.signal]),
      command: ['lsjson', '--no-mimetype', '--no-modtime', ...PATIENCE],
      paths: [rootPath(remote)],
      remote: remote.settings,
      timeoutMs: PROBE_MS,
      onLine: (line) => {
        if (line.startsWith('{')) enough.abort()
      },
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!enough.signal.aborted) throw error
  }
}

// Changes at a provider, for two-way connections: one object per run.

const SEND_MS = 24 * 3_600_000

/** Providers whose hashes say nothing compare the bytes with the Content-MD5 of each request. */
const copying = (remote: Remote) => limits({ ...remote, unchecked: remote.doubtfulHash ?? false })

/** Creates or replaces the object with the bytes of `file`. Returns it as the provider has it. */
async function putObject(
  program: string,
  remote: Remote,
  path: string,
  file: string,
  options: RunOptions,
): Promise<RemoteFile> {
  const command = ['copyto', '--ignore-times', '--low-level-retries', '3', ...copying(remote)]
  await run(program, remote, command, [file, rootPath(remote, path)], options)
  return listOne(program, remote, path, options)
}

/** Renames the object; throws `CloudError` `cloud_file_not_found` if it does not exist any more. */
async function moveObject(
  program: string,
  remote: Remote,
  from: string,
  to: string,
  options: RunOptions,
): Promise<RemoteFile> {
  const paths = [rootPath(remote, from), rootPath(remote, to)]
  const command = ['moveto', '--low-level-retries', '3', ...copying(remote)]
  await run(program, remote, command, paths, options)
  return listOne(program, remote, to, options)
}

/** Deletes the object. Idempotent: a missing object counts as deleted. */
async function deleteObject(
  program: string,
  remote: Remote,
  path: string,
  options: RunOptions,
): Promise<void> {
  try {
    await run(program, remote, ['deletefile'], [rootPath(remote, path)], options)
  } catch (error) {
    const gone = error instanceof CloudError && error.code.endsWith('_not_found')
    if (!gone) throw error
  }
}

const run = (
  program: string,
  remote: Remote,
  command: Run['command'],
  paths: Run['paths'],
  options: RunOptions,
) => runRclone(program, { ...options, command, paths, remote: remote.settings, timeoutMs: SEND_MS })
