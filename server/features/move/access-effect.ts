// Links for past buyers of another app: created with the outcome of their file, and revoked by an undo.
import type { AccessRequest } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { lastOf } from '../../core/lazy.ts'
import { hashKey, type Secrets } from '../../core/secrets.ts'
import { defineEffect, type EffectRequest } from '../../engine/effect.ts'
import { revokeLinks } from '../links/model/changes.ts'
import { orderedIds } from '../links/model/creation.ts'
import { laterReleaseOf } from '../links/model/links.ts'

/** What an outcome stores for the undo: the operation's UUID and the file's. */
interface GivenAccess {
  operation: string
  file: string
}

interface CreatedLink {
  id: string
  file_id: string
}

export const accessEffect = (secrets: Secrets) =>
  defineEffect({
    name: 'access',
    write: async (tx, { id: operation }, requests) => {
      const created: CreatedLink[] = []
      for (const [wanted, of] of groupsOf(requests)) {
        const files = of.map(({ file }) => file)
        created.push(
          ...(await createAccessLinks(tx, { secrets, operation, move: wanted.move, files })),
        )
      }
      const byFile = Map.groupBy(created, ({ file_id }) => file_id)
      return new Map(
        requests.flatMap(({ item, file }) => {
          const links = byFile.get(file)?.length ?? 0
          const access: GivenAccess = { operation, file }
          return links > 0 ? [[item, { access, links }]] : []
        }),
      )
    },
    undo: async (tx, recorded) => {
      const given = recorded.filter(isGivenAccess)
      for (const [operation, of] of Map.groupBy(given, (one) => one.operation)) {
        const links = await tx.query<{ id: string }>(
          `select id from links where shop_id = :shop and file_id = any(:files::uuid[])
             and operation_id = :operation and revoked_at is null`,
          { operation, files: of.map(({ file }) => file) },
        )
        await revokeLinks(
          tx,
          links.map(({ id }) => id),
        )
      }
    },
  })

const isGivenAccess = (value: unknown): value is GivenAccess =>
  typeof value === 'object' && value !== null && 'operation' in value && 'file' in value

/** Requests with equal options; the last step of an item decides. */
function groupsOf(
  requests: readonly EffectRequest<AccessRequest>[],
): [AccessRequest, readonly EffectRequest<AccessRequest>[]][] {
  const groups = Map.groupBy(requests, ({ values }) => {
    const { move, send } = lastOf(values)
    return `${move} ${send}`
  })
  return [...groups.values()].map((of) => [lastOf(lastOf(of).values), of])
}

interface AccessRow {
  file_id: string
  email: string
  own_limit: boolean
  download_limit: number | null
  own_expiry: boolean
  expires_at: Date | null
}

/** Creates the links that the buyers of these files lack. */
async function createAccessLinks(
  tx: ShopScope,
  about: { secrets: Secrets; operation: string; move: string; files: readonly string[] },
): Promise<CreatedLink[]> {
  const { secrets, operation, move, files } = about
  const rows = await tx.query<AccessRow>(
    `select a.file_id, a.email, a.own_limit, a.download_limit, a.own_expiry, a.expires_at
     from move_access a
     where a.shop_id = :shop and a.move_id = :move and a.file_id = any(:files::uuid[])
       and not exists (select from links l where l.shop_id = a.shop_id and l.file_id = a.file_id
         and lower(l.email) = lower(a.email) and l.revoked_at is null)
     order by a.file_id, a.email`,
    { move, files },
  )
  if (rows.length === 0) return []
  const now = new Date()
  const ids = orderedIds(now, rows.length)
  return tx.query<CreatedLink>(
    `insert into links (shop_id, id, file_id, key_hash, email, expires_at, download_limit,
       operation_id, created_at, available_at, use_hours, own_expiry, view_limit, view_expires_at)
     select :shop, w.id, w.file_id, w.key_hash, w.email,
       case when w.own_expiry
         then coalesce(r.available_at, :now::timestamptz) + f.expiry_days * interval '24 hours'
         else w.expires_at end,
       case when w.own_limit then f.download_limit else w.download_limit end, :operation, :now,
       r.available_at, f.first_use_hours, not w.own_expiry, f.view_limit,
       coalesce(r.available_at, :now::timestamptz) + f.view_days * interval '24 hours'
     from unnest(:ids::uuid[], :fileIds::uuid[], :hashes::bytea[], :emails::text[],
       :ownExpiries::bool[], :expiries::timestamptz[], :ownLimits::bool[], :limits::int[])
       as w (id, file_id, key_hash, email, own_expiry, expires_at, own_limit, download_limit)
     join files f on f.shop_id = :shop and f.id = w.file_id
     join shops s on s.id = :shop
     cross join lateral (select ${laterReleaseOf(':now::timestamptz', ':now::timestamptz')}
       as available_at) r
     returning id, file_id`,
    {
      ids,
      operation,
      now,
      fileIds: rows.map(({ file_id }) => file_id),
      hashes: ids.map((id) => hashKey(secrets.linkKey(id, 0))),
      emails: rows.map(({ email }) => email),
      ownExpiries: rows.map(({ own_expiry }) => own_expiry),
      expiries: rows.map(({ expires_at }) => expires_at),
      ownLimits: rows.map(({ own_limit }) => own_limit),
      limits: rows.map(({ download_limit }) => download_limit),
    },
  )
}
