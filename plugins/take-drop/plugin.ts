// First step of every import from a drop folder. The drop server stored the bytes when the file was
// closed; this step takes the file, so that no client changes it during the import.
import { z } from 'zod'
import { concurrently, definePlugin, failed, type Item, type Outcome } from '../contract.ts'

const CONCURRENCY = 8

/** Outcomes carry `bytes`. Fails with `drop_file_gone`, or the error of the storage location. */
export const takeDrop = definePlugin({
  id: 'take-drop',
  kind: 'fetch',
  title: 'Take dropped files',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['drop'],
  worksOn: 'imports',
  summary: () => 'Takes the files from the drop folder',
  plan: (items, _, { drop, signal }) =>
    concurrently(items, CONCURRENCY, signal, (item) =>
      attempt(item, async ({ id, claim }) => {
        await drop.sizeOf(id, claim)
        return { item: item.id, status: 'ok' }
      }),
    ),
  run: (items, _, { drop, signal }) =>
    concurrently(items, CONCURRENCY, signal, (item) =>
      attempt(item, async ({ id, claim }) => ({
        item: item.id,
        status: 'ok',
        bytes: await drop.take(id, claim),
      })),
    ),
})

async function attempt(
  item: Item,
  work: (file: { id: string; claim: string }) => Promise<Outcome>,
): Promise<Outcome> {
  if (item.entry?.source.type !== 'drop')
    return { item: item.id, status: 'skipped', reason: 'It is not from a drop folder' }
  try {
    return await work(item.entry.source)
  } catch (error) {
    return failed(item, error)
  }
}
