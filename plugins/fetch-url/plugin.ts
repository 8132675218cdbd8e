// First step of every import by URL: downloads each entry's file into the shop's primary storage
// location.
import { z } from 'zod'
import { concurrently, definePlugin, failed, type Item, type Outcome } from '../contract.ts'

const options = z.strictObject({
  at_once: z.int().min(1).max(64).default(16).meta({
    title: 'Concurrent downloads',
    help: 'How many files of a batch are downloaded at the same time.',
  }),
})

/**
 * Outcomes carry `bytes`. Fails with `url_not_accessible`, `file_too_large`, or the error of the
 * storage location.
 */
export const fetchUrl = definePlugin({
  id: 'fetch-url',
  kind: 'fetch',
  title: 'Fetch by URL',
  options,
  undo: 'fields',
  needs: ['remote'],
  worksOn: 'imports',
  bytes: true,
  plan: (items, { at_once }, { remote, limits, signal }) =>
    concurrently(items, at_once, signal, (item) =>
      attempt(item, async (url) => {
        const { size_bytes } = await remote.probe(url, signal)
        if (size_bytes !== null && size_bytes > limits.file_bytes) return tooLarge(item)
        return { item: item.id, status: 'ok' }
      }),
    ),
  run: (items, { at_once }, { remote, signal }) =>
    concurrently(items, at_once, signal, (item) =>
      attempt(item, async (url) => ({
        item: item.id,
        status: 'ok',
        bytes: await remote.download(url, signal),
      })),
    ),
})

async function attempt(item: Item, work: (url: string) => Promise<Outcome>): Promise<Outcome> {
  if (item.entry?.source.type !== 'url')
    return { item: item.id, status: 'skipped', reason: 'It has no URL to be fetched from' }
  try {
    return await work(item.entry.source.url)
  } catch (error) {
    return failed(item, error)
  }
}

const tooLarge = (item: Item): Outcome => ({
  item: item.id,
  status: 'failed',
  code: 'file_too_large',
  message: 'The file is larger than 5 GB: contact support to have larger files imported',
  retryable: false,
})
