// Links that were counted a moment ago, for which less need be asked. Whether a link may be used is decided in one of three ways: by the whole
// statement (counting.ts); where its file is known, by one that finds nothing anew; and where a moment ago nothing but its expiry could
// have refused, without asking.
import type { Logger } from '../log.ts'
import { createAhead } from './ahead.ts'
import { BATCH, createBatch, STATEMENTS } from './batch.ts'
import type { Asker, LinkTarget } from './counting.ts'
import { createKnownCounting, type Known, type Outcome, type Standing } from './known.ts'
import { createLately } from './lately.ts'
import type { Query } from './targets.ts'

/** For memory alone: each use is held against the rows. */
const RECENT_MS = 60_000
/** A link that has ended must stop within a second. */
const SURE_MS = 800
/** Larger files are fetched in parts, by a session that every process must know of at once. */
const SURE_BYTES = 256 * 1024

/**
 * A link with a limit is as one without while it has so many downloads left. A process serves at most so many ahead, and as many while those are
 * written: two hundred processes could not exceed the limit.
 */
const PLENTY = 20_000
const MOST_AHEAD = 50

interface Recent extends Known {
  standing: Standing
  /** When it was found so, or earlier: by performance.now(). */
  since: number
}

interface Question {
  link: Recent
  asker: Asker
}

export interface RecentLinks {
  /**
   * Counts a download and opens the client's session. Null decides nothing: the link is not known, or it or its file is not what it was, or
   * it does not allow so many.
   */
  count(asker: Asker): LinkTarget | null | Promise<LinkTarget | null>
  /** It was counted; `since`: before that was asked for. */
  note(link: Recent): void
  /** From now on nothing is taken for sure that was found before. */
  doubt(): void
  /** Writes the counts that are not written, where there are any of the link with this key. */
  settle(key?: string): Promise<void>
  /** Are all counts written? */
  isSettled(): boolean
}

export function createRecentLinks(query: Query, log: Logger): RecentLinks {
  const counting = createKnownCounting(query)
  const recent = createLately<Recent>(RECENT_MS)
  let doubtedAt = 0

  const hasPlenty = ({ left }: Standing, { link }: LinkTarget): boolean =>
    left === Infinity || (left >= PLENTY && ahead.times(link) < MOST_AHEAD)
  const isSure = ({ standing, target, since }: Recent, now: Date): boolean =>
    hasPlenty(standing, target) &&
    target.size <= SURE_BYTES &&
    now.getTime() < standing.expiresMs &&
    since > doubtedAt &&
    performance.now() - since < SURE_MS

  /** One that could not be looked at is what it was, and no surer. */
  const renew = (link: Recent, { standing, busy }: Outcome, since: number) => {
    if (standing) Object.assign(link, { standing, since })
    else if (!busy && recent.get(link.key) === link) recent.delete(link.key)
  }
  const ahead = createAhead<Recent>(async (downloads, at) => {
    const since = performance.now()
    const outcomes = await counting.write(downloads, at)
    downloads.forEach(({ known }, place) => renew(known, outcomes[place]!, since))
    return downloads.filter((_, place) => outcomes[place]!.busy)
  }, log)

  const countAll = async (asked: readonly Question[]): Promise<readonly boolean[]> => {
    const since = performance.now()
    const links = Map.groupBy(asked, ({ link }) => link)
    const downloads = [...links].map(([known, questions]) => ({
      known,
      times: questions.length,
      clients: questions.map(({ asker }) => asker.client),
    }))
    const outcomes = await counting.count(downloads, asked.at(-1)!.asker.now)
    downloads.forEach(({ known }, place) => renew(known, outcomes[place]!, since))
    const counted = new Set(downloads.filter((_, place) => outcomes[place]!.counted).map(({ known }) => known))
    return asked.map(({ link }) => counted.has(link))
  }
  const ask = createBatch(countAll, BATCH, STATEMENTS)

  return {
    count: (asker) => {
      const link = recent.get(asker.key)
      if (!link) return null
      if (!isSure(link, asker.now)) return ask({ link, asker }).then((counted) => (counted ? link.target : null))
      ahead.note(link, asker.client, asker.now)
      return link.target
    },
    note: (link) => recent.set(link.key, link),
    doubt: () => {
      doubtedAt = performance.now()
    },
    settle: async (key) => {
      if (key === undefined || ahead.has(key)) await ahead.settle()
    },
    isSettled: () => ahead.isEmpty(),
  }
}
