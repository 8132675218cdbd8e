// Downloads that were served ahead of their count: of links whose limit is far or none, where a count decides nothing. Written every 0.4 seconds, all of a
// link as one. A process that is killed takes what it had not written along.
import { setTimeout as delay } from 'node:timers/promises'
import { errorFields, type Logger } from '../log.ts'
import type { Downloads, Known } from './known.ts'
import { takeTurns } from './turns.ts'

export interface Ahead<Link> {
  note(link: Link, client: Buffer, at: Date): void
  /** By the link's id: how many are not being written yet. */
  times(link: string): number
  /** Is there something of the link with this key that is not written? */
  has(key: string): boolean
  /** Writes what was noted. Resolves though some of it can't be written now, and goes on trying. */
  settle(): Promise<void>
  /** Is all written? */
  isEmpty(): boolean
}

const EVERY_MS = 400
/** While the database is away. */
const AGAIN_MS = 1000
/** Of one statement: it holds them all, and other processes' downloads of those wait for it. */
const LINKS = 200
/** Another download holds its link for a moment, whoever changes many for longer: those are left for later. */
const HELD_MS = 10
const HELD_TIMES = 10

/** `write` gives back what is to be tried again. */
export function createAhead<Link extends Known>(
  write: (downloads: readonly Downloads<Link>[], at: Date) => Promise<readonly Downloads<Link>[]>,
  log: Logger,
): Ahead<Link> {
  // By the link's id: a key that was exchanged meanwhile is one of the same link.
  const waiting = new Map<string, { known: Link; times: number; clients: Set<Buffer> }>()
  const keys = { waiting: new Set<string>(), written: new Set<string>() }
  let latest = new Date(0)
  let timer: NodeJS.Timeout | null = null

  const add = ({ known, times, clients }: Downloads<Link>) => {
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
  /** Takes out what is written; what someone else holds stays, and so does all that is left where it fails. */
  const writeEach = async (all: Downloads<Link>[]): Promise<void> => {
    for (let left = all.length; left > 0; left -= LINKS) {
      const piece = all.slice(0, Math.min(LINKS, left))
      const held = await write(piece, latest)
      all.splice(0, piece.length)
      all.push(...held)
    }
  }
  const writeAll = async () => {
    if (timer) clearTimeout(timer)
    timer = null
    const all = takeAll()
    let again = EVERY_MS
    try {
      for (let times = 0; all.length > 0 && times <= HELD_TIMES; times++) {
        if (times > 0) await delay(HELD_MS)
        await writeEach(all)
      }
    } catch (error) {
      log.warn('downloads that were served are yet to be counted', { links: all.length, ...errorFields(error) })
      again = AGAIN_MS
    }
    all.forEach(add)
    if (all.length > 0) startIn(again)
    keys.written.clear()
  }
  const start = takeTurns(writeAll)
  const startIn = (ms: number) => {
    timer ??= setTimeout(() => void start(), ms).unref()
  }
  return {
    note: (link, client, at) => {
      latest = at
      add({ known: link, times: 1, clients: [client] })
      startIn(EVERY_MS)
    },
    times: (link) => waiting.get(link)?.times ?? 0,
    has: (key) => keys.waiting.has(key) || keys.written.has(key),
    settle: start,
    isEmpty: () => waiting.size === 0,
  }
}
