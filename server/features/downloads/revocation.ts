// Ends running downloads when their permit is withdrawn. Each process asks the database about its
// own streams, so a change is noticed from any process or statement; a process without streams asks
// nothing.
import type { ServerResponse } from 'node:http'
import { errorFields, type Logger } from '../../core/log.ts'
import { FILE, SHOWN } from './counting/public-counter.ts'
import { bytesArray, IN_PARENT, opaque, plainArray, type Query } from './targets.ts'

/**
 * What allows a download. Expiry and a used-up limit do not withdraw it: a download that began in
 * time may finish.
 */
export type Permit =
  | { kind: 'link'; shop: number; link: string; keyHash: Buffer }
  /** All files of a delivery or a pack, by its page's link. */
  | { kind: 'archive'; shop: number; link: string; keyHash: Buffer }
  /** A file in a ZIP file, by the file's link, whose key the client does not use. */
  | { kind: 'archived'; shop: number; link: string }
  | { kind: 'public'; token: string }

export interface Revocation {
  /** Resets the response's connection if one of the permits is withdrawn before the response ends. */
  watch(permits: readonly Permit[], response: ServerResponse): void
}

/**
 * The pause between two checks: with the check itself a withdrawn download ends within a second.
 */
const CHECK_MS = 400

// The conditions of the decision in link-decisions.ts, without expiry and limit.
const LINKS = `
  select a.place
  from unnest(${opaque('$1::integer[]')}, ${opaque('$2::uuid[]')}, ${opaque('$3::bytea[]')})
    with ordinality as a (shop_id, link_id, key_hash, place)
  cross join lateral (select * from links where shop_id = a.shop_id and id = a.link_id limit 1) l
  cross join lateral (select * from files where shop_id = l.shop_id and id = l.file_id limit 1) f
  cross join lateral (select * from shops where id = l.shop_id limit 1) s
  left join lateral (
    select * from links where shop_id = l.shop_id and id = l.parent_id and revoked_at is null
      limit 1) p on true
  where l.key_hash = a.key_hash and l.revoked_at is null and s.uninstalled_at is null
    and f.deleted_at is null and (f.mapping_state <> 'unmapped' or l.paid and s.keep_paid)
    and ${IN_PARENT}`

const ARCHIVES = `
  select a.place
  from unnest(${opaque('$1::integer[]')}, ${opaque('$2::uuid[]')}, ${opaque('$3::bytea[]')})
    with ordinality as a (shop_id, link_id, key_hash, place)
  cross join lateral (select * from links where shop_id = a.shop_id and id = a.link_id limit 1) l
  cross join lateral (select * from shops where id = l.shop_id limit 1) s
  where l.key_hash = a.key_hash and l.revoked_at is null and s.uninstalled_at is null`

const ARCHIVED = `
  select a.place
  from unnest(${opaque('$1::integer[]')}, ${opaque('$2::uuid[]')})
    with ordinality as a (shop_id, link_id, place)
  cross join lateral (select * from links where shop_id = a.shop_id and id = a.link_id limit 1) l
  cross join lateral (select * from files where shop_id = l.shop_id and id = l.file_id limit 1) f
  where l.revoked_at is null and f.deleted_at is null`

const PUBLIC = `
  select a.place
  from unnest(${opaque('$1::uuid[]')}) with ordinality as a (token, place)
  cross join lateral (select * from public_addresses where token = a.token limit 1) p ${FILE('p')}
  where ${SHOWN}`

interface WatchedTransfer<P extends Permit = Permit> {
  permit: P
  responses: Set<ServerResponse>
}

export const createRevocation = (query: Query, log: Logger): Revocation =>
  new WatchedResponses(query, log)

class WatchedResponses implements Revocation {
  readonly #query: Query
  readonly #log: Logger
  readonly #watched = new Map<string, WatchedTransfer>()
  #scheduled = false

  constructor(query: Query, log: Logger) {
    this.#query = query
    this.#log = log
  }

  watch(permits: readonly Permit[], response: ServerResponse): void {
    if (response.closed) return
    const leaves = permits.map((permit) => this.#enter(permit, response))
    response.once('close', () => leaves.forEach((leave) => leave()))
    this.#scheduleCheck()
  }

  /** The result removes the response again. */
  #enter(permit: Permit, response: ServerResponse): () => void {
    const key = keyOf(permit)
    const entry = this.#watched.get(key) ?? { permit, responses: new Set() }
    this.#watched.set(key, entry)
    entry.responses.add(response)
    return () => {
      entry.responses.delete(response)
      if (entry.responses.size === 0 && this.#watched.get(key) === entry) this.#watched.delete(key)
    }
  }

  #scheduleCheck(): void {
    if (this.#scheduled || this.#watched.size === 0) return
    this.#scheduled = true
    setTimeout(() => void this.#checkAndSchedule(), CHECK_MS).unref()
  }

  async #checkAndSchedule(): Promise<void> {
    try {
      await this.#checkAll()
    } catch (error) {
      // Downloads continue while the database is down.
      this.#log.warn('running downloads could not be checked', errorFields(error))
    } finally {
      this.#scheduled = false
      this.#scheduleCheck()
    }
  }

  async #checkAll(): Promise<void> {
    const links = this.#those('link')
    const archives = this.#those('archive')
    const archived = this.#those('archived')
    const publics = this.#those('public')
    const tokens = plainArray(publics.map(({ permit }) => permit.token))
    await Promise.all([
      this.#check('valid_links', LINKS, links, [...linkColumns(links), keyColumn(links)]),
      this.#check('valid_archives', ARCHIVES, archives, [
        ...linkColumns(archives),
        keyColumn(archives),
      ]),
      this.#check('valid_archived', ARCHIVED, archived, linkColumns(archived)),
      this.#check('valid_public', PUBLIC, publics, [tokens]),
    ])
  }

  #those<Kind extends Permit['kind']>(kind: Kind) {
    return [...this.#watched.values()].filter(
      (entry): entry is WatchedTransfer<Extract<Permit, { kind: Kind }>> =>
        entry.permit.kind === kind,
    )
  }

  /** Ends the entries whose place the statement does not return. */
  async #check(
    name: string,
    text: string,
    entries: readonly WatchedTransfer[],
    values: unknown[],
  ): Promise<void> {
    if (entries.length === 0) return
    const { rows } = await this.#query(name, text, values)
    const valid = new Set(rows.map(([place]) => Number(place)))
    entries.forEach(({ responses }, at) => {
      if (!valid.has(at + 1)) responses.forEach(resetConnection)
    })
  }
}

const linkColumns = (entries: readonly { permit: { shop: number; link: string } }[]) => [
  plainArray(entries.map(({ permit }) => permit.shop)),
  plainArray(entries.map(({ permit }) => permit.link)),
]
const keyColumn = (entries: readonly { permit: { keyHash: Buffer } }[]) =>
  bytesArray(entries.map(({ permit }) => permit.keyHash))

function keyOf(permit: Permit): string {
  if (permit.kind === 'public') return permit.token
  if (permit.kind === 'archived') return permit.link
  return `${permit.link}/${permit.keyHash.toString('hex')}`
}

/**
 * Resets the connection: a normal close would still send the system's buffer, which holds some
 * megabytes for a slow client.
 */
function resetConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
  response.destroy()
}
