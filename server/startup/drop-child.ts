// Runs the drop server as a child of `npm start`, so that its crash does not end the other roles.
import { spawn, type ChildProcess } from 'node:child_process'
import type { DropAddress } from '../core/configuration/drop-settings.ts'
import type { Environment } from '../core/configuration/environment.ts'
import type { Database } from '../core/db/database.ts'
import type { Logger } from '../core/log.ts'
import { ensureSecret } from '../core/secrets.ts'
import { OWN_GROUP } from '../ports/children/launch.ts'
import { createRestarts } from './restarts.ts'
import { present } from '../core/lazy.ts'

export interface DropChild {
  /** The ports that it listens on; 0 for any free port, until it has started. */
  address: DropAddress
  close(): Promise<void>
}

/** What the child reports to this process: its ports, or why it could not start. */
export type DropReport = Pick<DropAddress, 'sftpPort' | 'ftpPort'> | { failed: string }

/** The argument that makes the child report to this process instead of printing. */
export const DROP_CHILD = '--drop-child'

const READY_MS = 20_000
const STOP_MS = 10_000
/**
 * The parent's heap options are for imports. The child has few long-lived objects, and full
 * collections are rare; its heap grows in small steps, because clients decide how many objects
 * wait.
 */
const HEAP = /^--((min|max)-semi-space-size|heap-growing-percent)=/
const HEAP_FLAGS = [
  '--min-semi-space-size=2',
  '--max-semi-space-size=2',
  '--heap-growing-percent=20',
]

/**
 * Keeps a drop server running beside this process; resolves when the first one is ready or has
 * failed.
 */
export async function startDropChild(
  environment: Environment,
  database: Database,
  log: Logger,
): Promise<DropChild> {
  const { drop, dataDir, roles } = environment
  const secret = environment.secret ?? (await ensureSecret(dataDir))
  const address = addressOf(drop)
  const env = {
    ROLE: 'drop',
    APP_SECRET: secret,
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    DATABASE_DIRECT_URL: database.directUrl,
    // Without the web role the parent itself listens there.
    ...(roles.includes('web') ? {} : { MONITORING_PORT: '' }),
  }
  const restarts = createRestarts()
  let child: ChildProcess | null = null
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  const first = Promise.withResolvers<void>()

  const start = () => {
    let readyAt: number | null = null
    let failure: string | null = null
    const started = spawnDrop({ ...env, ...portsOf(address) })
    child = started
    started.on('message', (report: DropReport) => {
      if ('failed' in report) return void (failure = report.failed)
      Object.assign(address, report)
      readyAt = Date.now()
      first.resolve()
    })
    const ended = (how: string) => {
      if (child !== started) return
      child = null
      first.resolve()
      if (stopping) return
      const servedMs = readyAt && Date.now() - readyAt
      const reason = failure ?? how
      const { pauseMs, isNew } = restarts.after(servedMs, reason)
      if (isNew) logEnd(log, servedMs !== null, reason)
      timer = setTimeout(start, pauseMs)
    }
    started.once('error', (error) => ended(error.message))
    // `close` instead of `exit`, which may come before the last report has been read.
    started.once('close', (code, signal) => ended(signal ? `signal ${signal}` : `code ${code}`))
  }
  start()
  await orLate(first, log)
  return {
    address,
    close: async () => {
      stopping = true
      clearTimeout(timer)
      if (child) await stop(child, log)
    },
  }
}

/** Resolves when the first drop server is ready or has failed, or has not started in time. */
async function orLate(first: PromiseWithResolvers<void>, log: Logger): Promise<void> {
  const late = setTimeout(() => {
    log.warn('the drop server has not started yet', { waited_seconds: READY_MS / 1000 })
    first.resolve()
  }, READY_MS)
  await first.promise
  clearTimeout(late)
}

const addressOf = ({ host, sftpPort, ftpPort, schedule }: DropAddress): DropAddress => ({
  host,
  sftpPort,
  ftpPort,
  schedule,
})

const portsOf = ({ sftpPort, ftpPort }: DropAddress) => ({
  SFTP_PORT: String(sftpPort),
  FTP_PORT: String(ftpPort),
})

function spawnDrop(env: Readonly<Record<string, string>>): ChildProcess {
  const others = process.execArgv.filter((flag) => !HEAP.test(flag))
  const args = [...others, ...HEAP_FLAGS, present(process.argv[1], 'The program'), DROP_CHILD]
  return spawn(process.execPath, args, {
    // Freed buffers of transfers are returned to the system instead of to an arena of each thread.
    env: { ...process.env, MALLOC_ARENA_MAX: '2', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A signal to all of this process's group would end it before its time, and it would start again.
    ...OWN_GROUP,
  })
}

/** A start that failed is repeated with growing pauses, and logged when the reason changes. */
function logEnd(log: Logger, hadServed: boolean, reason: string): void {
  if (hadServed) return log.warn('the drop server ended and is started again', { reason })
  log.error('SFTP and FTP do not work, the rest does; the start is tried again', { reason })
}

async function stop(child: ChildProcess, log: Logger): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const force = setTimeout(() => {
    log.warn('the drop server did not stop in time and is killed')
    child.kill('SIGKILL')
  }, STOP_MS)
  await gone
  clearTimeout(force)
}
