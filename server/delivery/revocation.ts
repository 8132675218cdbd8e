// Downloads that are on their way end when what allowed them is withdrawn. Each process asks the database about the
// streams that it holds itself, so no change can be missed, from whichever process or statement it came; a process that
// sends nothing asks nothing.
import type { ServerResponse } from 'node:http'
import type pg from 'pg'
import { errorFields, type Logger } from '../log.ts'
import { FILE, SHOWN } from './public-counting.ts'
import { bytesArray, openQuery, plainArray, unseen } from './targets.ts'

/** What a download is allowed by. An expired or used-up link is no withdrawal: a download begun in time may end. */
export type Permit = { kind: 'link'; shop: number; link: string; keyHash: Buffer } | { kind: 'public'; token: string }

export interface Revocation {
  /** Breaks the connection of this response off, until it has ended, as soon as the permit does not hold any more. */
  watch(permit: Permit, response: ServerResponse): void
}

/** Between two looks. With the look itself a withdrawn download ends within a second. */
const LOOK_MS = 400

// The conditions of `count` in counting.ts, without expiry and limit.
const LINKS = `
  select a.place
  from unnest(${unseen('$1::integer[]')}, ${unseen('$2::uuid[]')}, ${unseen('$3::bytea[]')})
    with ordinality as a (shop_id, link_id, key_hash, place)
  cross join lateral (select * from links where shop_id = a.shop_id and id = a.link_id limit 1) l
  cross join lateral (select * from files where shop_id = l.shop_id and id = l.file_id limit 1) f
  cross join lateral (select * from shops where id = l.shop_id limit 1) s
  left join lateral (
    select * from links where shop_id = l.shop_id and id = l.parent_id and revoked_at is null limit 1) p on true
  where l.key_hash = a.key_hash and l.revoked_at is null and s.uninstalled_at is null
    and f.deleted_at is null and f.mapping_state <> 'unmapped'
    and (l.parent_id is null or p.pack_id = f.pack_id)`

const PUBLIC = `
  select a.place
  from unnest(${unseen('$1::uuid[]')}) with ordinality as a (token, place)
  cross join lateral (select * from public_addresses where token = a.token limit 1) p ${FILE('p')}
  where ${SHOWN}`

interface Watched<P extends Permit = Permit> {
  permit: P
  responses: Set<ServerResponse>
}

export function createRevocation(pool: pg.Pool, log: Logger): Revocation {
  const query = openQuery(pool)
  const watched = new Map<string, Watched>()
  let looking = false

  const those = <Kind extends Permit['kind']>(kind: Kind) =>
    [...watched.values()].filter(
      (entry): entry is Watched<Extract<Permit, { kind: Kind }>> => entry.permit.kind === kind,
    )

  /** Ends those whose place the statement does not give. */
  async function look(name: string, text: string, entries: readonly Watched[], values: unknown[]): Promise<void> {
    if (entries.length === 0) return
    const { rows } = await query(name, text, values)
    const standing = new Set(rows.map(([place]) => Number(place)))
    entries.forEach(({ responses }, at) => {
      if (!standing.has(at + 1)) responses.forEach(breakOff)
    })
  }

  async function lookAtAll(): Promise<void> {
    const links = those('link')
    const publics = those('public')
    await Promise.all([
      look('standing_links', LINKS, links, [
        plainArray(links.map(({ permit }) => permit.shop)),
        plainArray(links.map(({ permit }) => permit.link)),
        bytesArray(links.map(({ permit }) => permit.keyHash)),
      ]),
      look('standing_public', PUBLIC, publics, [plainArray(publics.map(({ permit }) => permit.token))]),
    ])
  }

  function lookLater(): void {
    if (looking || watched.size === 0) return
    looking = true
    const run = () =>
      lookAtAll()
        // What is on its way goes on while the database cannot be asked.
        .catch((error: unknown) => log.warn('downloads on their way could not be checked', errorFields(error)))
        .finally(() => {
          looking = false
          lookLater()
        })
    setTimeout(() => void run(), LOOK_MS).unref()
  }

  return {
    watch: (permit, response) => {
      if (response.closed) return
      const key = keyOf(permit)
      const entry = watched.get(key) ?? { permit, responses: new Set() }
      watched.set(key, entry)
      entry.responses.add(response)
      response.once('close', () => {
        entry.responses.delete(response)
        if (entry.responses.size === 0 && watched.get(key) === entry) watched.delete(key)
      })
      lookLater()
    },
  }
}

const keyOf = (permit: Permit): string =>
  permit.kind === 'link' ? `${permit.link}/${permit.keyHash.toString('hex')}` : permit.token

/** By a reset: a plain close would still send what the system has buffered, some megabytes for a slow client. */
function breakOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
  response.destroy()
}
