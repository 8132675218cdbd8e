// Selects the files of a drop folder that an import takes.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { ENTRY, type DropEntry } from '../entries.ts'
import { ASIDE, OUTSIDE_MANAGED } from '../own-folders.ts'
import { HAS_OWN_NAME } from '../waits-for.ts'

/** A file whose protocol cannot confirm that it is whole must have been unchanged for this long. */
export const QUIET_SECONDS = 30

/** SQL: a file that waits to be imported, automatically or on request. */
export const IMPORTABLE = `kind = 'file' and state = 'waiting' and ${OUTSIDE_MANAGED} and ${HAS_OWN_NAME}`

const QUIET = `quiet_since <= now() - interval '${QUIET_SECONDS} seconds'`

/** SQL: a file that the client sent under this name before is still being imported. */
const HAS_EARLIER = `exists (select from drop_entries aside where aside.shop_id = drop_entries.shop_id
  and aside.state = 'importing' and aside.folder = '${ASIDE}'
  and aside.dropped_folder = drop_entries.folder and aside.dropped_name = drop_entries.name)`

/**
 * SQL: the file can be taken now. `prompt`: a file that the protocol confirms as whole is taken
 * without waiting.
 */
const isReady = (prompt: boolean): string =>
  `${IMPORTABLE} and ${prompt ? `(closed_cleanly or ${QUIET})` : QUIET} and not ${HAS_EARLIER}`

/**
 * Reads and locks the files that are ready, in the order of their arrival: they must not be
 * overwritten or moved before the claim.
 */
export const lockReady = (
  tx: ShopScope,
  { prompt, limit, only }: { prompt: boolean; limit: number; only: string | null },
): Promise<DropEntry[]> =>
  tx.query<DropEntry>(
    `select ${ENTRY} from drop_entries where shop_id = :shop and ${isReady(prompt)}
       and (:only::uuid is null or id = :only)
     order by quiet_since, id limit :limit for update skip locked`,
    { limit, only },
  )

export interface WaitingFiles {
  files: number
  bytes: number
}

export async function countWaiting(scope: ShopScope): Promise<WaitingFiles> {
  const row = await scope.one<WaitingFiles>(
    `select count(*)::int as files, coalesce(sum(size_bytes), 0)::bigint as bytes
     from drop_entries where shop_id = :shop and ${IMPORTABLE}`,
  )
  return row
}
