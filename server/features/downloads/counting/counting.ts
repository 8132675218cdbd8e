// The counting of downloads, of links, of ZIP files and of public files. It says whether a request
// may have a file, counts the download or continues one that was counted, and gives the transfer
// that the response reports to. How a count is written depends on what it decides:
// - A link with a limit is decided and counted in one statement before the first byte leaves, and
//   so are ZIP files and public files (link-counter.ts, archive-counter.ts, public-counter.ts).
// - A link without a limit is counted after its response (link-cache.ts, write-behind-counter.ts).
// - A download that broke off is continued from its session (sessions.ts).
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../../core/log.ts'
import type { PageLooks } from '../look.ts'
import type { Recorder } from '../record.ts'
import type { Query } from '../targets.ts'
import type { CountedWrites } from '../counted-writes.ts'
import { createArchiveCounter, type ArchiveCounter } from './archive-counter.ts'
import { createLinkCache } from './link-cache.ts'
import { LinkCounter } from './link-counter.ts'
import { createPublicCounter, type PublicCounter } from './public-counter.ts'
import { LEASE_SECONDS } from './session-sql.ts'
import { DownloadSessions } from './sessions.ts'

export interface DownloadCounters {
  links: LinkCounter
  archives: ArchiveCounter
  publics: PublicCounter
  /** Drops the cached links of one shop, or of all shops: the database decides their downloads. */
  invalidate(shop?: number): void
  /** Writes the pending counts; false if some cannot be written now. */
  flush(): Promise<boolean>
  /**
   * Resolves when the ends of all transfers are recorded.
   * @param ms how long it tries if the database is down.
   */
  close(ms: number): Promise<void>
}

export function createCounting(parts: {
  query: Query
  writes: CountedWrites
  looks: PageLooks
  recorder: Pick<Recorder, 'record'>
  log: Logger
  clock: () => Date
}): DownloadCounters {
  const cache = createLinkCache(parts.writes, parts.log)
  const linkSessions = new DownloadSessions('download_sessions', parts)
  const archiveSessions = new DownloadSessions('archive_sessions', parts)
  return {
    links: new LinkCounter({ ...parts, cache, sessions: linkSessions }),
    archives: createArchiveCounter({ ...parts, sessions: archiveSessions }),
    publics: createPublicCounter(parts),
    invalidate: cache.invalidate,
    flush: cache.flush,
    close: async (ms) => {
      await Promise.all([linkSessions.close(ms), archiveSessions.close(ms)])
    },
  }
}

const RETRY_MS = 150
/** Longer than a transfer of a killed process counts as running. */
const RETRIES = (LEASE_SECONDS * 1000 + 500) / RETRY_MS

/**
 * Reads a state until it no longer waits for a running transfer, for up to 3.5 seconds: a client
 * often asks again before the server has noticed that its first connection is gone.
 */
export async function readSettled<State>(
  read: () => Promise<State>,
  waits: (state: State) => boolean | Promise<boolean>,
): Promise<State> {
  let state = await read()
  for (let retry = 0; retry < RETRIES && (await waits(state)); retry++) {
    await delay(RETRY_MS)
    state = await read()
  }
  return state
}
