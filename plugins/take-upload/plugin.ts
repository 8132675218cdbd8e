// First step of every import of uploads: moves the received bytes into the shop's storage location.
import { z } from 'zod'
import { concurrently, definePlugin, failed, type Item, type Outcome } from '../contract.ts'

const CONCURRENCY = 4

/** Outcomes carry `bytes`. Fails with `upload_lost`, or the error of the storage location. */
export const takeUpload = definePlugin({
  id: 'take-upload',
  kind: 'fetch',
  title: 'Take uploads',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['uploads'],
  worksOn: 'imports',
  bytes: true,
  summary: () => 'Takes the files that were uploaded',
  plan: (items, _, { uploads, signal }) =>
    concurrently(items, CONCURRENCY, signal, (item) =>
      attempt(item, async (id) => {
        await uploads.sizeOf(id)
        return { item: item.id, status: 'ok' }
      }),
    ),
  run: (items, _, { uploads, signal }) =>
    concurrently(items, CONCURRENCY, signal, (item) =>
      attempt(item, async (id) => ({
        item: item.id,
        status: 'ok',
        bytes: await uploads.take(id, signal),
      })),
    ),
})

async function attempt(item: Item, work: (upload: string) => Promise<Outcome>): Promise<Outcome> {
  if (item.entry?.source.type !== 'upload')
    return { item: item.id, status: 'skipped', reason: 'It was not uploaded' }
  try {
    return await work(item.entry.source.id)
  } catch (error) {
    return failed(item, error)
  }
}
