// `npm run bench start`: from the start of a process to its readiness, in the folder of `npm run
// build` on a migrated database, beside the bare start of Node. `BENCH_APP=/folder` measures a
// folder that is built already; `BENCH_PROFILE=/folder` writes profiles of the start there.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../../server/core/db/embedded.ts'
import { createLogger } from '../../server/core/log.ts'
import { buildProduction, installProduction } from '../../server/install/production-folder.ts'
import { ARGUMENTS, baseEnv, freePort, outputOf, SECRET } from '../flows/server.ts'
import { compare, type Bench, type Context, type Row } from './bench.ts'

/** The time within which a process is ready, on a machine without other work. */
const READY_MS = 3000
const ROLES = ['web', 'worker', 'web,worker'] as const
const POLL_MS = 5

interface Installation {
  app: string
  databaseUrl: string
  dataDir: string
}

async function bareStart(): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  await new Promise((resolve) => child.once('close', resolve))
  return performance.now() - began
}

/** The milliseconds until `/readyz` answers 200. */
async function readyAfter(
  { app, databaseUrl, dataDir }: Installation,
  role: string,
): Promise<number> {
  const [port, monitoring] = [await freePort(), await freePort()]
  const profiles = process.env.BENCH_PROFILE
  const flags = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []
  const began = performance.now()
  const child = spawn(process.execPath, [...flags, ...ARGUMENTS], {
    cwd: app,
    env: {
      ...baseEnv(),
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: path.join(dataDir, 'compiled'),
      DATABASE_URL: databaseUrl,
      APP_SECRET: SECRET,
      DATA_DIR: dataDir,
      ROLE: role,
      PORT: String(port),
      MONITORING_PORT: String(monitoring),
      LOG_LEVEL: 'warn',
      BASE_URL: 'https://files.example.com',
      SMTP_URL: 'smtp://127.0.0.1:1',
      SHOPIFY_API_KEY: 'key',
      SHOPIFY_API_SECRET: createHash('md5').update('x').digest('hex'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(child)
  const url = `http://127.0.0.1:${role.includes('web') ? port : monitoring}/readyz`
  const isReady = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`The process ended: ${output()}`)
    await delay(POLL_MS)
  }
  const ms = performance.now() - began
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  await ended
  return ms
}

async function run({ brief, folder, rounds, say }: Context): Promise<Row[]> {
  const app = process.env.BENCH_APP ?? path.join(folder, 'app')
  if (!process.env.BENCH_APP) {
    await buildProduction(app)
    await installProduction(app)
  }
  const embedded = await startEmbedded(path.join(folder, 'database'), createLogger('error'))
  try {
    const dataDir = path.join(folder, 'data')
    await mkdir(dataDir)
    const installation = { app, databaseUrl: embedded.url, dataDir }
    const rows: Row[] = []
    for (const role of brief ? ROLES.slice(-1) : ROLES) {
      // Migrates, and compiles the modules.
      for (let n = 0; n < 2; n++) await readyAfter(installation, role)
      const [ours, bare]: [number[], number[]] = [[], []]
      for (let n = 0; n < rounds; n++) {
        ours.push(await readyAfter(installation, role))
        bare.push(await bareStart())
      }
      say(
        `${role}: ${ours.map(Math.round).join(', ')} ms; Node alone ${bare.map(Math.round).join(', ')} ms`,
      )
      rows.push(compare(`${role} is ready, and Node alone`, 'ms', ours, bare))
      const bound = ours.map(() => READY_MS)
      rows.push(compare(`${role} is ready`, 'ms', ours, bound, { ceiling: 1 }))
    }
    return rows
  } finally {
    await embedded.stop()
  }
}

export const startBench: Bench = { name: 'start', run }
