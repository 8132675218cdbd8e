// Links that were counted a moment ago. What was found of a file is true for as long as its row is the one that it was, and PostgreSQL says by which
// transaction a row was written (xmin): so their statement counts, and finds nothing anew.
import { BATCH, createBatch, STATEMENTS } from './batch.ts'
import type { Asker, LinkTarget } from './counting.ts'
import { createLately } from './lately.ts'
import { openSessions } from './sessions.ts'
import { unseen, type Query } from './targets.ts'

/** The place of its bytes alone may be another by then, and they are kept at the old one for a day. */
const RECENT_MS = 10_000

// It decides as the whole statement does of a link that is under no pack's, whose file lets all sites in. Links are locked as they
// come, in the order of their ids. What is asked of other tables is asked row by row, which keeps the planner from reading the links through.
const NOW = unseen('$9::timestamptz')
const COUNT = `
  with asked as (
    select * from unnest(${unseen('$1::integer[]')}, ${unseen('$2::uuid[]')}, ${unseen('$3::bytea[]')},
      ${unseen('$4::xid[]')}, ${unseen('$5::integer[]')})
      with ordinality as a (shop_id, link_id, key_hash, row_version, times, place)
  ), counted as (
    update links l set downloads = l.downloads + a.times, served = l.served + a.times, last_download_at = ${NOW}
    from asked a
    where l.shop_id = a.shop_id and l.id = a.link_id and l.key_hash = a.key_hash
      and l.revoked_at is null
      and (l.expires_at is null or l.expires_at > ${NOW})
      and (l.download_limit is null or l.downloads + a.times <= l.download_limit)
      and (select xmin from files where shop_id = l.shop_id and id = l.file_id) is not distinct from a.row_version
      and (select uninstalled_at from shops where id = l.shop_id) is null
    returning a.shop_id, a.link_id, a.place
  ), opened as (
    select c.shop_id, c.link_id, o.client, o.size_bytes
    from unnest(${unseen('$6::integer[]')}, ${unseen('$7::bytea[]')}, ${unseen('$8::bigint[]')})
      as o (place, client, size_bytes)
    join counted c on c.place = o.place
  ), session as (
    ${openSessions('opened', NOW)}
  )
  select place from counted`

interface Known {
  target: LinkTarget
  /** Of the file's row. */
  rowVersion: string
}

type Question = Known & { asker: Asker }

export interface RecentLinks {
  /**
   * Counts a download and opens the client's session. Null decides nothing: the link is not known, or it or its file is not what it was, or
   * it does not allow so many.
   */
  count(asker: Asker): Promise<LinkTarget | null>
  /** It was counted, with this target. */
  note(asker: Asker, known: Known): void
}

export function createRecentLinks(query: Query): RecentLinks {
  const recent = createLately<Known>(RECENT_MS)
  const nameOf = ({ keyHash }: Asker) => keyHash.toString('base64')

  const countAll = async (asked: readonly Question[]): Promise<readonly boolean[]> => {
    const links = byLink(asked)
    const place = new Map(links.flatMap((questions, at) => questions.map((question) => [question, at + 1])))
    const firsts = links.map(([first]) => first)
    const { rows } = await query('count_recent', COUNT, [
      firsts.map(({ target }) => target.shop),
      firsts.map(({ target }) => target.link),
      firsts.map(({ asker }) => asker.keyHash),
      firsts.map(({ rowVersion }) => rowVersion),
      links.map(({ length }) => length),
      asked.map((question) => place.get(question)),
      asked.map(({ asker }) => asker.client),
      asked.map(({ target }) => target.size),
      asked.at(-1)!.asker.now,
    ])
    const counted = new Set(rows.map(([at]) => at))
    return asked.map((question) => counted.has(place.get(question)))
  }
  const ask = createBatch(countAll, BATCH, STATEMENTS)

  return {
    count: async (asker) => {
      const name = nameOf(asker)
      const known = recent.get(name)
      if (!known) return null
      if (await ask({ ...known, asker })) return known.target
      recent.delete(name)
      return null
    },
    note: (asker, known) => recent.set(nameOf(asker), known),
  }
}

/** In the order of the links. What two know of one link need not be the same. */
function byLink(asked: readonly Question[]): [Question, ...Question[]][] {
  const links = new Map<string, [Question, ...Question[]]>()
  for (const question of asked) {
    const name = `${question.target.link} ${question.rowVersion}`
    const others = links.get(name)
    if (others) others.push(question)
    else links.set(name, [question])
  }
  return [...links].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, questions]) => questions)
}
