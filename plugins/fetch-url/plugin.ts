// First step of every import by URL: downloads each entry's file into the shop's primary storage
// location.
import { z } from 'zod'
import {
  definePlugin,
  directAddress,
  eachSource,
  sizeProblem,
  sayPlain,
  type Decision,
  type Item,
} from '../contract/index.ts'

const options = z.strictObject({
  at_once: z.int().min(1).max(64).default(16).meta({
    title: 'Concurrent downloads',
    help: 'How many files of a batch are downloaded at the same time.',
  }),
})

const eachUrl = eachSource('url', sayPlain('It has no URL to fetch'))

type Headers = Readonly<Record<string, string>>

/** The port bounds the requests: an item that waits for its host takes no place of another. */
const eachWithPort = <Port extends { withHeaders(headers: Headers): Port }>(
  items: readonly Item[],
  port: Port,
  signal: AbortSignal,
  decide: (url: string, port: Port, item: Item) => Promise<Decision>,
) =>
  eachUrl(items, items.length, signal, ({ url, headers }, item) =>
    decide(directAddress(url), headers ? port.withHeaders(headers) : port, item),
  )

/**
 * Outcomes carry `bytes`. Items fail with `url_not_accessible`, `file_too_large`, or the error of
 * the storage location.
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
    eachWithPort(items, remote.atMost(at_once), signal, async (url, port) => {
      const { size_bytes } = await port.probe(url, signal)
      return sizeProblem(size_bytes, limits) ?? { status: 'ok' }
    }),
  run: (items, { at_once }, { remote, signal }) =>
    eachWithPort(items, remote.atMost(at_once), signal, async (url, port, { known, entry }) => ({
      status: 'ok',
      bytes: await port.download(url, signal, known, entry?.sha256),
    })),
})
