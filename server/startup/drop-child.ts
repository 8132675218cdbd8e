// Runs the drop server as a child of `npm start`, so that its crash does not end the other roles.
import { spawn, type ChildProcess } from 'node:child_process'
import type { DropAddress, Environment } from '../environment.ts'
import type { Database } from '../db/database.ts'
import type { Logger } from '../log.ts'
import { ensureSecret } from '../secrets.ts'

export interface DropChild {
  /** The ports that it listens on. */
  address: DropAddress
  close(): Promise<void>
}

const READY_MS = 20_000
const STOP_MS = 10_000
/** A child that dies earlier would probably die again: it is restarted after a pause. */
const EARLY_MS = 5000
const PAUSE_MS = { early: 1000, late: 50 }

/**
 * The parent's heap options are for imports; the child has few long-lived objects, and full
 * collections are rare.
 */
const HEAP = /^--((min|max)-semi-space-size|heap-growing-percent)=/
const HEAP_FLAGS = ['--min-semi-space-size=2', '--max-semi-space-size=2']

/**
 * Keeps a drop server running beside this process; resolves when the first one is ready or has
 * failed.
 */
export async function startDropChild(
  environment: Environment,
  database: Database,
  log: Logger,
): Promise<DropChild> {
  const { drop, dataDir } = environment
  const secret = environment.secret ?? (await ensureSecret(dataDir))
  const address: DropAddress = { host: drop.host, sftpPort: drop.sftpPort, ftpPort: drop.ftpPort }
  let child: ChildProcess | null = null
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  const first = Promise.withResolvers<void>()

  const start = () => {
    const begun = Date.now()
    const ports = { SFTP_PORT: String(address.sftpPort), FTP_PORT: String(address.ftpPort) }
    const own = {
      ROLE: 'drop',
      DATABASE_URL: database.url,
      APP_SECRET: secret,
      DATA_DIR: dataDir,
      // Freed buffers of transfers are returned to the system instead of to an arena of each
      // thread.
      MALLOC_ARENA_MAX: '2',
      ...ports,
    }
    const others = process.execArgv.filter((flag) => !HEAP.test(flag))
    const started = spawn(process.execPath, [...others, ...HEAP_FLAGS, process.argv[1]!], {
      env: { ...process.env, ...own },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child = started
    started.on('error', (error) =>
      log.warn('the drop server could not be started', { error: error.message }),
    )
    started.on('message', (ports: Pick<DropAddress, 'sftpPort' | 'ftpPort'>) => {
      Object.assign(address, ports)
      first.resolve()
    })
    started.once('exit', (code, signal) => {
      first.resolve()
      if (stopping) return
      log.warn('the drop server ended and is started again', { code, signal })
      timer = setTimeout(start, Date.now() - begun < EARLY_MS ? PAUSE_MS.early : PAUSE_MS.late)
    })
  }
  start()
  const late = setTimeout(first.resolve, READY_MS)
  await first.promise
  clearTimeout(late)
  return {
    address,
    close: async () => {
      stopping = true
      clearTimeout(timer)
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child!.once('exit', resolve))
      child.kill('SIGTERM')
      const force = setTimeout(() => {
        log.warn('the drop server did not stop in time and is killed')
        child!.kill('SIGKILL')
      }, STOP_MS)
      await gone
      clearTimeout(force)
    },
  }
}
