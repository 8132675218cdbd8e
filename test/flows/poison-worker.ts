// A worker process of its own with one plugin more, which ends the process when it meets the file that POISON names: what a bug in
// a library's native code does.
import process from 'node:process'
import { z } from 'zod'
import { definePlugin } from '../../plugins/contract.ts'
import { openDatabase } from '../../server/db/database.ts'
import { openListener } from '../../server/db/listener.ts'
import { startWorker } from '../../server/engine/worker.ts'
import type { EngineParts, Ports } from '../../server/engine/types.ts'
import { createSecrets } from '../../server/secrets.ts'
import { createLogger } from '../../server/log.ts'

const { DATABASE_URL, POISON } = process.env
const meetPoison = definePlugin({
  id: 'meet-poison',
  kind: 'act',
  title: 'Meet poison',
  options: z.strictObject({}),
  undo: 'fields',
  worksOn: 'files',
  async *plan(items) {
    for (const item of items) {
      if (item.file.filename === POISON) process.kill(process.pid, 'SIGKILL')
      yield { item: item.id, status: 'ok', change: { set: { expiry_days: 77 } } }
    }
  },
})

const log = createLogger('warn')
const database = openDatabase(DATABASE_URL!, 4, log)
const listener = await openListener(DATABASE_URL!, log)
const parts: EngineParts = {
  database,
  listener,
  plugins: [meetPoison],
  workflows: [],
  limits: { jobs_at_once: 2, file_bytes: 1e9 } as EngineParts['limits'],
  // It only plans: there is nothing outside that it touches.
  ports: () => Promise.resolve({} as Ports),
  listings: () => {
    throw new Error('It lists nothing')
  },
  secrets: createSecrets('the secret of the tests, long enough'),
  log,
}
const worker = await startWorker(parts, () => Promise.resolve())
process.once('SIGTERM', () => {
  void worker
    .stop()
    .then(() => listener.close())
    .then(() => database.close())
})
