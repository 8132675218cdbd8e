// First step of every import by URL: downloads each entry's file into the shop's primary storage
// location. A link is not fetched: its bytes are an internet shortcut with the address.
import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  definePlugin,
  directAddress,
  eachItem,
  LINK_TYPE,
  shortcutText,
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

type Headers = Readonly<Record<string, string>>

/** The port bounds the requests: an item that waits for its host takes no place of another. */
const eachWithPort = <Port extends { withHeaders(headers: Headers): Port }>(
  items: readonly Item[],
  port: Port,
  signal: AbortSignal,
  {
    fetch,
    link,
  }: {
    fetch: (url: string, port: Port, item: Item) => Promise<Decision>
    link: (url: string) => Promise<Decision>
  },
) =>
  eachItem(items, items.length, signal, async (item): Promise<Decision> => {
    const source = item.entry?.source
    if (source?.type === 'link') return link(source.url)
    if (source?.type !== 'url')
      return { status: 'skipped', reason: sayPlain('It has no URL to fetch') }
    const { url, headers } = source
    return fetch(directAddress(url), headers ? port.withHeaders(headers) : port, item)
  })

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
  needs: ['remote', 'stage'],
  worksOn: 'imports',
  bytes: true,
  plan: (items, { at_once }, { remote, limits, signal }) =>
    eachWithPort(items, remote.atMost(at_once), signal, {
      fetch: async (url, port) => {
        const { size_bytes } = await port.probe(url, signal)
        return sizeProblem(size_bytes, limits) ?? { status: 'ok' }
      },
      link: () => Promise.resolve({ status: 'ok' }),
    }),
  run: (items, { at_once }, { remote, stage, signal }) =>
    eachWithPort(items, remote.atMost(at_once), signal, {
      fetch: async (url, port, { known, entry }) => ({
        status: 'ok',
        bytes: await port.download(url, signal, known, entry?.sha256),
      }),
      link: async (url) => ({
        status: 'ok',
        bytes: await stage.write(
          Readable.from([Buffer.from(shortcutText(url))]),
          LINK_TYPE,
          signal,
        ),
      }),
    }),
})
