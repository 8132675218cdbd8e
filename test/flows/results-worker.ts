// A separate worker process whose one step writes a document and ends the process in the middle of
// it, as an operator's `kill -9` does. With DIE=0 it continues.
import process from 'node:process'
import { z } from 'zod'
import { definePlugin } from '../../plugins/contract/index.ts'
import type { Ports } from '../../server/engine/parts.ts'
import { operationListings } from '../../server/features/downloads/zip-of-operation.ts'
import { createStage } from '../../server/ports/catalog.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { secrets, startOwnWorker } from './own-worker.ts'

const { FOLDER, DIE } = process.env
const writeUntilDeath = definePlugin({
  id: 'write-result',
  kind: 'act',
  title: 'Write a result',
  options: z.strictObject({}),
  undo: 'none',
  needs: ['artifacts', 'listings'],
  scope: 'operation',
  ledger: false,
  document: true,
  async *plan() {},
  async run(_operation, _options, { artifacts, listings, signal }) {
    await artifacts.write(
      'names.csv',
      'text/csv',
      dying(listings.files('csv', ['filename'], signal)),
    )
    return {}
  },
})

async function* dying(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let written = 0
  for await (const piece of pieces) {
    yield piece
    if (DIE === '1' && ++written === 2) process.kill(process.pid, 'SIGKILL')
  }
}

const store = createDiskStore({ folder: FOLDER! })
await startOwnWorker(writeUntilDeath, {
  ports: ({ shop }) =>
    Promise.resolve({ stage: createStage({ store, shop, location: 'primary' }) } as Ports),
  listings: operationListings({
    secrets,
    baseUrl: 'http://127.0.0.1',
    stores: new Map([['primary', store]]),
    check: () => Promise.resolve('damaged'),
    sums: { of: () => Promise.resolve(null) },
  }),
})
