// The web and worker roles in the test's own process, started as main.ts starts them. A separate
// process takes a second of processor time longer: use server.ts only for a test that kills the
// server, reads its exit code or needs the drop server.
import { appConfig } from '../../app.config.ts'
import { createLogger } from '../../server/core/log.ts'
import { start } from '../../server/start.ts'
import { closeAll, type CloseStep } from '../../server/startup/closing.ts'
import { createTestDatabase } from '../database.ts'
import { demoClient, freePort, makeDataDir, SECRET, type RunningServer } from './server.ts'

/**
 * On a new data folder and database unless `env` names them. Resolves when the server is ready.
 */
export async function startLocalServer(env: Record<string, string> = {}): Promise<RunningServer> {
  const dataDir = env.DATA_DIR ?? (await makeDataDir())
  const databaseUrl = env.DATABASE_URL ?? (await createTestDatabase()).url
  const port = await freePort()
  const config = appConfig({
    DATABASE_URL: databaseUrl,
    APP_SECRET: SECRET,
    DATA_DIR: dataDir,
    PORT: String(port),
    ROLE: 'web,worker',
    LOG_LEVEL: 'warn',
    ...env,
  })
  let output = ''
  const print = (text: string) => void (output += text)
  const log = createLogger(config.environment.logLevel, print)
  const closings: CloseStep[] = []
  try {
    await start(config, log, { closings, print })
  } catch (error) {
    await closeAll(closings, log)
    throw error
  }
  return {
    ...(await demoClient(`http://127.0.0.1:${port}`, dataDir)),
    databaseUrl,
    output: () => output,
    stop: () => closeAll(closings, log),
  }
}
