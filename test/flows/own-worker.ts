// The code of a test's own worker process: an engine with one more plugin, until it is told to end.
import process from 'node:process'
import type { Plugin } from '../../plugins/contract/index.ts'
import { DEFAULT_LIMITS } from '../../server/core/configuration/limits.ts'
import { openDatabase } from '../../server/core/db/database.ts'
import { openListener } from '../../server/core/db/listener.ts'
import type { EngineParts } from '../../server/engine/parts.ts'
import { startWorker } from '../../server/engine/worker.ts'
import { allEffects, allEnds, OPERATION_MESSAGES } from '../../server/features.ts'
import { createLogger } from '../../server/core/log.ts'
import { withScratch } from '../../server/ports/scratch.ts'
import { createSecrets } from '../../server/core/secrets.ts'

export const secrets = createSecrets('the secret of the tests, long enough')

/** Uses DATABASE_URL. @param outside the ports of the plugin */
export async function startOwnWorker(
  plugin: Plugin,
  outside: Pick<EngineParts, 'ports' | 'listings'>,
): Promise<void> {
  const url = process.env.DATABASE_URL!
  const log = createLogger('warn')
  const database = openDatabase(url, 4, log)
  const listener = await openListener(url, log)
  const limits: EngineParts['limits'] = { ...DEFAULT_LIMITS, jobs_at_once: 2, file_bytes: 1e9 }
  const parts: EngineParts = {
    database,
    listener,
    plugins: [plugin],
    workflows: [],
    limits,
    ...outside,
    withScratch,
    messages: OPERATION_MESSAGES,
    effects: allEffects({ limits, secrets, plugins: [plugin], baseUrl: 'http://127.0.0.1' }),
    ends: allEnds({ secrets, plugins: [plugin] }),
    guards: [],
    messageWords: new Map(),
    secrets,
    log,
  }
  const worker = await startWorker(parts, () => Promise.resolve())
  process.once('SIGTERM', () => {
    void worker
      .stop()
      .then(() => listener.close())
      .then(() => database.close())
  })
}
