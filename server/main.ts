// Starts the roles asked for, and stops them cleanly: start.ts, or startup/drop.ts for the
// drop server alone, which loads nothing of the others to stay small. Read this first.
import { appConfig } from '../app.config.ts'
import { closeAll, type CloseStep } from './startup/closing.ts'
import type { Config } from './startup/config.ts'
import { createLogger, plainLine, errorFields, type Logger } from './core/log.ts'
import { isConnectTimeout } from './core/db/error-classes.ts'
import { logRejection } from './startup/rejections.ts'
import { DROP_CHILD } from './startup/drop-child.ts'

const STOP_WITHIN_MS = 20_000
/** A drop server beside `npm start`. */
const isDropChild = process.argv.includes(DROP_CHILD)

async function start(config: Config, log: Logger, closings: CloseStep[]): Promise<void> {
  if (config.environment.roles.every((role) => role === 'drop')) {
    const { startDrop } = await import('./startup/drop.ts')
    return startDrop(config, log, closings)
  }
  const all = await import('./start.ts')
  const print = (text: string) => void process.stdout.write(text)
  const development = process.argv.includes('--dev')
  const sample = process.argv.includes('--sample')
  return all.start(config, log, { closings, print, development, sample })
}

/** The drivers say only that a time is over, not for what. */
const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return isConnectTimeout(error)
    ? `The database did not answer in time (${message}): the machine may be busy. Start again.`
    : message
}

/** A drop server's parent logs a reason only once. */
function fail(message: string): void {
  if (process.send && isDropChild) process.send({ failed: message })
  else console.error(message)
}

async function main(): Promise<void> {
  const closings: CloseStep[] = []
  let log = createLogger('info')
  let stopping: Promise<void> | null = null
  let drainMs = 0
  const stop = async (code: number) => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS + drainMs).unref()
    await closeAll(closings, log)
    process.exitCode = code
  }
  // Ctrl-C arrives from the terminal and again from npm: only the first is handled.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // The terminal interrupts the whole process group; the parent stops its drop server itself.
      if (stopping || (signal === 'SIGINT' && isDropChild)) return
      if (!isDropChild) log.info('stopping', { signal })
      stopping = stop(0)
    })
  process.on('unhandledRejection', (error) => logRejection(log)(error))
  try {
    const config = appConfig()
    log = createLogger(
      config.environment.logLevel,
      undefined,
      process.stderr.isTTY ? plainLine : undefined,
    )
    drainMs = config.environment.drainSeconds * 1000
    await start(config, log, closings)
  } catch (error) {
    // Stopped while it was starting: the start fails because its database is closed.
    if (!stopping) fail(reasonOf(error))
    log.debug('start failed', errorFields(error))
    stopping ??= stop(1)
  }
  await stopping
  // What started while the server was stopping.
  if (stopping) await closeAll(closings, log)
}

await main()
