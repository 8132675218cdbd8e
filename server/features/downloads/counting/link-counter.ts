// Counts the downloads of links: continues one that was counted, or counts a new one.
import type { ByteRange } from '../../../core/store/store.ts'
import type { Client } from '../../../core/client-address.ts'
import { askOf } from '../../links/model/links.ts'
import { isProbe } from '../../../http/conditions.ts'
import type { PageLooks } from '../look.ts'
import type { Recorder } from '../record.ts'
import type { Asker, LinkTarget, Query } from '../targets.ts'
import { readKnownLink, type KnownLink } from './known-link.ts'
import type { CountedWrites } from '../counted-writes.ts'
import type { LinkCache } from './link-cache.ts'
import { createDecisions, type CountDecision } from './link-decisions.ts'
import { owes, revertCounts } from './session-sql.ts'
import { mayRestart, type DownloadSessions } from './sessions.ts'
import { UNCOUNTED, type FileTransfer } from './file-transfer.ts'

const OWED = `
  select encode(l.key_hash, 'hex') from links l
  join files f on f.shop_id = l.shop_id and f.id = l.file_id
  join download_sessions d on d.link_id = l.id and d.network = $3 and d.expires_at > $4
    and d.bytes_left >= f.size_bytes and ${owes('$4')}
  where l.shop_id = $1 and l.parent_id = $2
  union all select null from archive_sessions d
  where d.link_id = $2 and d.network = $3 and d.expires_at > $4 and d.bytes_left > 0
    and ${owes('$4')}`

const ASKS_UNDER = `
  select distinct ${askOf('l', 'p')} from links p
  join links l on l.shop_id = p.shop_id and l.parent_id = p.id
  join files f on f.shop_id = l.shop_id and f.id = l.file_id
  where p.shop_id = $1 and p.id = $2`

const REVERT_COUNT = revertCounts('download_sessions')

const FIRST_VIEW = `update links set first_used_at = $3
  where shop_id = $1 and id = $2 and first_used_at is null`

/** A download that may be sent. */
export interface LinkDownload {
  target: LinkTarget
  /** The part to send; null for the whole file. */
  range: ByteRange | null
  transfer: FileTransfer
}

/** The copies under a page's link that broke off and may be fetched again. */
export interface OwedCopies {
  /** The hashes of the files' keys, in hexadecimal. */
  keys: ReadonlySet<string>
  /** The ZIP file of all files. */
  archive: boolean
}

interface LinkCounterParts {
  query: Query
  writes: CountedWrites
  cache: LinkCache
  looks: PageLooks
  sessions: DownloadSessions
  recorder: Pick<Recorder, 'record'>
}

export class LinkCounter {
  readonly #parts: LinkCounterParts
  readonly #decide: ReturnType<typeof createDecisions>

  constructor(parts: LinkCounterParts) {
    this.#parts = parts
    this.#decide = createDecisions(parts.writes, parts.cache)
  }

  /**
   * Counts a download of the whole file. Null: the link does not allow it, or the buyer is owed a
   * copy that was counted before (`continueOrCount`).
   */
  async count(asker: Asker): Promise<LinkDownload | null> {
    await this.#parts.sessions.settle(asker)
    const decision = await this.#decideFor(asker, false)
    return decision && this.#begin(decision, asker, null)
  }

  /** Reads the link of a key; null if no link has it. */
  async lookUp(asker: Asker): Promise<KnownLink | null> {
    const { cache, query, looks } = this.#parts
    if (cache.hasPending(asker.key)) await cache.flush()
    return readKnownLink(query, looks, asker)
  }

  /** Begins the expiry of a link whose file is viewed for the first time. */
  async noteView(
    {
      shop,
      link,
      use_hours,
      first_used_at,
    }: Pick<KnownLink, 'shop' | 'link' | 'use_hours' | 'first_used_at'>,
    now: Date,
  ): Promise<void> {
    if (use_hours === null || first_used_at !== null) return
    await this.#parts.query('first_view', FIRST_VIEW, [shop, link, now])
  }

  /** What the files under a page's link ask for (`askOf`), each once. */
  async asksUnder({ shop, link }: Pick<KnownLink, 'shop' | 'link'>): Promise<readonly string[]> {
    const { rows } = await this.#parts.query('asks_under', ASKS_UNDER, [shop, link])
    return rows.map(([asks]) => asks as string)
  }

  /** What this client is owed of a page's files. */
  async owedBy(
    { shop, link }: Pick<KnownLink, 'shop' | 'link'>,
    { network }: Client,
    now: Date,
  ): Promise<OwedCopies> {
    const { rows } = await this.#parts.query('owed', OWED, [shop, link, network, now])
    const keys = rows.map(([key]) => key as string | null)
    return { keys: new Set(keys.filter((key) => key !== null)), archive: keys.includes(null) }
  }

  /**
   * Continues a counted download, or counts a new one; null if the link allows neither. The range is
   * that of the file which the link had when it was looked up.
   */
  async continueOrCount(
    asker: Asker,
    link: KnownLink & { target: LinkTarget },
    range: ByteRange | null,
  ): Promise<LinkDownload | null> {
    const { target } = link
    if (isProbe(range, target.size)) return { target, range, transfer: UNCOUNTED }
    const transfer = await this.#continueSession(asker, link, range)
    if (transfer) return { target, range, transfer }
    const decision = await this.#decideFor(asker, true)
    // A part of a new version does not continue the client's copy: send the whole file.
    const same = decision?.target.hash === target.hash
    return decision && this.#begin(decision, asker, same ? range : null)
  }

  /** @param forced counts also if the buyer is owed a copy. */
  async #decideFor(asker: Asker, forced: boolean): Promise<CountDecision | null> {
    const cached = this.#parts.cache.count(asker)
    return cached ? { target: cached, limited: false } : this.#decide({ asker, forced })
  }

  /** The transfer of a download that was counted. */
  #begin({ target, limited }: CountDecision, asker: Asker, range: ByteRange | null): LinkDownload {
    const { cache, query, sessions, recorder } = this.#parts
    const { client, now } = asker
    const hooks = {
      confirmed: () => recorder.record({ target, link: target.link, client, at: now }),
      undo: async () => {
        await cache.flush()
        const { shop, link } = target
        await query('revert_count', REVERT_COUNT, [shop, link, [link], client.hash])
      },
    }
    const transfer = limited
      ? sessions.counted(sessionOf(target, client.hash), asker, partOf(target, range), hooks)
      : { ...UNCOUNTED, ...hooks }
    return { target, range, transfer }
  }

  async #continueSession(
    asker: Asker,
    { session, target }: KnownLink & { target: LinkTarget },
    range: ByteRange | null,
  ): Promise<FileTransfer | null> {
    if (!session) return null
    const { sessions } = this.#parts
    const key = sessionOf(target, session.client)
    const part = partOf(target, range)
    if (part.start > 0) return sessions.part(key, asker, part, () => this.#countMore(asker, target))
    return mayRestart(session, target.size) ? sessions.restart(key, asker, part) : null
  }

  /** Counts one more download, for a part whose session is used up. */
  async #countMore(asker: Asker, old: LinkTarget): Promise<FileTransfer | null> {
    const decision = await this.#decideFor(asker, true)
    if (!decision) return null
    const { target, transfer } = this.#begin(decision, asker, null)
    if (target.hash === old.hash) {
      transfer.confirmed()
      return transfer
    }
    // The file has a new version: the old bytes cannot be completed.
    await transfer.undo()
    return null
  }
}

const sessionOf = ({ shop, link }: LinkTarget, client: Buffer) => ({ shop, link, client })
const partOf = ({ size }: LinkTarget, range: ByteRange | null) => {
  const { start, end } = range ?? { start: 0, end: size - 1 }
  return { size, start, length: end - start + 1 }
}
