// What cloud connections share in one process: the rclone program, the proxy, and opening a
// connection's remote.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { folderFiles } from './folder/folder-files.ts'
import { openBroker, type Broker } from './broker.ts'
import { tokenSource, type OAuthClients, type OAuthFetch } from './oauth.ts'
import type { Provider, Values } from './providers/provider.ts'
import { PROVIDERS } from './providers/providers.ts'
import { openGuardProxy, type Dial, type GuardProxy } from './proxy.ts'
import { CloudError } from './rclone/errors.ts'
import { findRclone, type RcloneProgram } from './rclone/program.ts'
import { rcloneFiles } from './rclone/rclone-files.ts'
import { missingOf } from './set-up.ts'
import type { RemoteFiles } from './rclone/remote-files.ts'

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
