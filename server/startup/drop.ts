// The drop server as a separate process.
import { runDropServer } from '../features/drop/run-server.ts'
import type { CloseStep } from './closing.ts'
import type { Config } from './config.ts'
import type { Environment } from '../core/configuration/environment.ts'
import { openListener } from '../core/db/listener.ts'
import type { Logger } from '../core/log.ts'
import { openForStart } from './database.ts'
import type { DropReport } from './drop-child.ts'
import { openStores } from './stores.ts'

type ServerParts = Parameters<typeof runDropServer>[0]

interface DropParts extends Pick<
  ServerParts,
  'database' | 'stores' | 'listener' | 'limits' | 'secrets' | 'log'
> {
  environment: Environment
}

/** Starts the drop server. Throws `ConfigError`. */
export async function startDrop(
  { environment, limits, storage }: Config,
  log: Logger,
  closings: CloseStep[],
): Promise<void> {
  // Closed last: the spans of transfers that end while it stops are sent too.
  if (environment.tracing) {
    const { startTracing } = await import('./tracing.ts')
    closings.push(startTracing(environment.tracing, log))
  }
  const monitoring = await openMonitoring(environment, limits, log)
  if (monitoring) closings.push(() => monitoring.close())
  const stopping = new AbortController()
  closings.push(() => Promise.resolve(stopping.abort()))
  const { signal } = stopping
  const { database, secrets, close } = await openForStart(environment, log, { signal })
  closings.push(close)
  const listener = await openListener(database.directUrl, log)
  closings.push(() => listener.close())
  const stores = await openStores(storage, log)
  closings.push(await runDrop({ environment, limits, database, stores, listener, secrets, log }))
  if (monitoring) closings.push(monitoring.started(database))
}

/** Loads the HTTP server only if it is wanted, because this process stays small. */
async function openMonitoring(environment: Environment, limits: Config['limits'], log: Logger) {
  if (environment.monitoringPort === null) return null
  const { startDropMonitoring } = await import('./drop-monitoring.ts')
  return startDropMonitoring({ environment, limits, log })
}

async function runDrop({ environment, ...parts }: DropParts): Promise<() => Promise<void>> {
  const { host, drop } = environment
  const server = await runDropServer({
    ...parts,
    staging: drop.staging,
    host,
    sftpPort: drop.sftpPort,
    ftpPort: drop.ftpPort,
    publicHost: drop.host,
    certificate: drop.certificate,
    passive: { ports: drop.passivePorts, address: drop.passiveAddress },
  })
  const { sftpPort, ftpPort } = server
  process.send?.({ sftpPort, ftpPort } satisfies DropReport)
  // Without its parent nothing would stop this process.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // The channel to the parent must not keep a stopped process alive.
  process.channel?.unref()
  return () => server.close()
}
