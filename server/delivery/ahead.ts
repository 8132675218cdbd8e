// Downloads that were served ahead of their count: of links without a limit, where a count decides nothing. Written some ten times a second,
// all of a link as one. A process that is killed takes what it had not written along.
import { errorFields, type Logger } from '../log.ts'
import type { Downloads, Known } from './known.ts'

export interface Ahead<Link> {
  note(link: Link, client: Buffer, at: Date): void
  /** Is there something of the link with this key that is not written? */
  has(key: string): boolean
  /** Writes what was noted. Resolves though it can't be written, and goes on trying. */
  settle(): Promise<void>
}

const EVERY_MS = 250
/** While the database is away. */
const AGAIN_MS = 1000
const LINKS = 1000

export function createAhead<Link extends Known>(
  write: (downloads: readonly Downloads<Link>[], at: Date) => Promise<void>,
  log: Logger,
): Ahead<Link> {
  // By the link's id: a key that was exchanged meanwhile is one of the same link.
  const waiting = new Map<string, { known: Link; times: number; clients: Set<Buffer> }>()
  const keys = { waiting: new Set<string>(), written: new Set<string>() }
  let latest = new Date(0)
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()

  const add = (known: Link, times: number, clients: Iterable<Buffer>) => {
    const id = known.target.link
    const before = waiting.get(id)
    const all = before?.clients ?? new Set<Buffer>()
    for (const client of clients) all.add(client)
    waiting.set(id, { known, times: times + (before?.times ?? 0), clients: all })
    keys.waiting.add(known.key)
  }
  const takeAll = (): Downloads<Link>[] => {
    const all = [...waiting.values()].map((one) => ({ ...one, clients: [...one.clients] }))
    waiting.clear()
    keys.written = keys.waiting
    keys.waiting = new Set()
    return all
  }
  const writeAll = async () => {
    if (timer) clearTimeout(timer)
    timer = null
    const all = takeAll()
    try {
      while (all.length > 0) {
        await write(all.slice(0, LINKS), latest)
        all.splice(0, LINKS)
      }
    } catch (error) {
      log.warn('downloads that were served are yet to be counted', { links: all.length, ...errorFields(error) })
      for (const { known, times, clients } of all) add(known, times, clients)
      startIn(AGAIN_MS)
    }
    keys.written.clear()
  }
  const start = () => (running = running.then(writeAll))
  const startIn = (ms: number) => {
    timer ??= setTimeout(() => void start(), ms).unref()
  }
  return {
    note: (link, client, at) => {
      latest = at
      add(link, 1, [client])
      startIn(EVERY_MS)
    },
    has: (key) => keys.waiting.has(key) || keys.written.has(key),
    settle: start,
  }
}
