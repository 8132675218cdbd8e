// A separate worker process with one more plugin, which ends the process at the file that POISON
// names, as a bug in native code does.
import process from 'node:process'
import { z } from 'zod'
import { definePlugin } from '../../plugins/contract/index.ts'
import type { Ports } from '../../server/engine/parts.ts'
import { startOwnWorker } from './own-worker.ts'

const { POISON } = process.env
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

await startOwnWorker(meetPoison, {
  // It only plans, so it needs no ports.
  ports: () => Promise.resolve({} as Ports),
  listings: () => {
    throw new Error('It lists nothing')
  },
})
