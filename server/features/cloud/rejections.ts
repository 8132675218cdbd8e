// Objects that cannot be imported as they are: recorded with the version that was refused, so that
// later syncs neither fetch nor report them again. A new version, a change of the connection's
// options or a person's request drops the record, and the next sync tries the object again.
import { type AnyText, type Warning, say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { columnsOfText, textOfColumns } from '../../core/texts.ts'
import { withHashJoins } from '../../core/db/hash-joins.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { SyncCounts } from './sync-rows.ts'

const DUPLICATE = 'cloud_duplicate_name'
/**
 * The provider does not report new rights to a refused object, or that an archived one was
 * restored, so they are tried again after this time.
 */
const PASSING: readonly ErrorCode[] = ['cloud_access_denied', 'cloud_archived']
const PASSING_FOR = '7 days'

/** Failures that usually last until the object, its rights or the connection's options change. */
const LASTING: readonly ErrorCode[] = [
  'empty_file',
  'file_too_large',
  'invalid_filename',
  'cloud_name_unusable',
  'cloud_listing_differs',
  ...PASSING,
  DUPLICATE,
]

export interface RejectionRow {
  path: string
  size_bytes: number
  code: string
  message: AnyText
}

/**
 * Records the lasting failures of a sync's items. Those that could be repeated are not about the object:
 * the keys were refused. Idempotent.
 */
export async function recordRejections(
  tx: ShopScope,
  about: { connection: string; sync: string; operation: string },
): Promise<void> {
  await withHashJoins(tx, () =>
    tx.query(
      `with refused as materialized (
         select c.number, c.path, c.size_bytes, c.hash, c.modified_at,
           i.error ->> 'code' as code,
           coalesce(i.error -> 'message_text', i.error -> 'message') as message
         from sync_changes c join items i on i.shop_id = c.shop_id and i.position = c.position
         where c.shop_id = :shop and c.sync_id = :sync and not c.rejected
           and c.kind in ('add', 'change', 'conflict', 'match', 'duplicate', 'uncompared')
           and i.operation_id = :operation and i.status = 'failed'
           and i.error ->> 'code' = any(:codes::text[]) and i.error ->> 'retryable' = 'false'
       ), marked as (
         update sync_changes set rejected = true from refused
         where shop_id = :shop and sync_id = :sync and sync_changes.number = refused.number
       )
       insert into cloud_rejections (shop_id, connection_id, path, size_bytes, hash, modified_at,
         code, message, message_values)
       select distinct on (path) :shop, :connection, path, size_bytes, hash, modified_at, code,
         ${columnsOfText('message')}
       from refused order by path, number desc
       on conflict (shop_id, connection_id, path) do update set size_bytes = excluded.size_bytes,
         hash = excluded.hash, modified_at = excluded.modified_at, code = excluded.code,
         message = excluded.message, message_values = excluded.message_values, created_at = now()`,
      { ...about, codes: LASTING },
    ),
  )
}

/**
 * Drops the rejections that the newest listing does not confirm, and old ones of refused objects.
 * Returns the number of the others.
 */
export async function keepListedRejections(tx: ShopScope, connection: string): Promise<number> {
  await tx.query(
    `delete from cloud_rejections r where shop_id = :shop and connection_id = :connection and (
       r.code = any(:passing::text[]) and r.created_at < now() - interval '${PASSING_FOR}'
       or not exists (
       select from cloud_listings l
       where l.shop_id = :shop and l.connection_id = :connection and l.path = r.path
         and not l.ignored
         and l.duplicate = (r.code = '${DUPLICATE}')
         and (l.duplicate or l.size_bytes = r.size_bytes and case
           when l.hash is not null and r.hash is not null then l.hash = r.hash
           else l.modified_at is not distinct from r.modified_at end)))`,
    { connection, passing: PASSING },
  )
  const row = await tx.one<{ count: number }>(
    `select count(*) as count from cloud_rejections where shop_id = :shop
      and connection_id = :connection`,
    { connection },
  )
  return row.count
}

/** Drops all rejections of a connection, so that the next sync tries the objects again. */
export async function dropRejections(tx: ShopScope, connection: string): Promise<void> {
  await tx.query(
    'delete from cloud_rejections where shop_id = :shop and connection_id = :connection',
    { connection },
  )
}

/** The warnings of a sync's operation about objects that it did not try again, and their files. */
export function rejectionWarnings({ rejected = 0, awaited = 0 }: Partial<SyncCounts>): Warning[] {
  const warnings: Warning[] = []
  if (rejected > 0)
    warnings.push({
      code: 'cloud_rejected',
      message: say(
        '{count, plural, one {# file cannot be imported and was} other {# files cannot be imported and were}} not tried again: the page of the connection says why',
        { count: rejected },
      ),
    })
  if (awaited > 0)
    warnings.push({
      code: 'cloud_not_compared',
      message: say(
        '{count, plural, one {# file that is no longer there stays} other {# files that are no longer there stay}} in the shop: a new object that may be the same one could not be read',
        { count: awaited },
      ),
    })
  return warnings
}

/** Lists the rejections by path, after the path `after`. */
export const listRejections = (
  scope: ShopScope,
  connection: string,
  { after, limit }: { after: string; limit: number },
): Promise<RejectionRow[]> =>
  scope.query<RejectionRow>(
    `select path, size_bytes, code, ${textOfColumns('message')} as message from cloud_rejections
     where shop_id = :shop and connection_id = :connection and path > :after order by path
       limit :limit`,
    { connection, after, limit },
  )
