// Imports the files of a shop's drop folder that are ready, in a new import or the open one. Files
// next to an import.csv get the settings of its rows.
import { ownValue } from '../../../../plugins/contract/index.ts'
import { type ShopScope, retryTransaction } from '../../../core/db/for-shop.ts'
import type { Engine } from '../../../engine/engine.ts'
import { lockSettings, type LockedSettings } from '../settings.ts'
import { ENTRY, type DropEntry } from '../entries.ts'
import { ASIDE, OUTSIDE_MANAGED } from '../own-folders.ts'
import { HAS_OWN_NAME } from '../waits-for.ts'
import { sourceKeys, namedSource } from '../../workflows/sources.ts'
import { dropChannel } from '../channel.ts'
import { addToDropImport, dropOrigin, startDropImport, type ClaimedFile } from './claim.ts'
import { withManifests, type ManifestParts } from './manifests.ts'

export interface TakeParts extends ManifestParts {
  engine: Engine
}

export interface TakeRequest {
  requestedBy: string
  /** Whether files that the protocol confirms as whole are taken without waiting. */
  prompt: boolean
  /** Whether the files are added to the open import, or open one. */
  growing: boolean
  /** The UUID of the only file to take; absent: all that are ready. */
  only?: string | undefined
  /** Whether the import is a preview: the files stay in their folders until it is confirmed. */
  dryRun?: boolean
  /** The maximum number of files in one import; tests set a lower one. */
  limit?: number | undefined
}

/** The maximum number of files in one import, whose items are written in one transaction. */
const MAX_FILES = 5000

/** The import of the files that were taken. */
export interface ImportedFiles {
  operation: string
  files: number
  /** Whether there may be more files than one import takes. */
  isFull: boolean
}

/**
 * Imports the files that are ready, those of one source of triggers; null: there are none. Runs in one transaction, which locks the
 * shop's settings, so that no other run takes files or adds to the open import. Throws
 * `invalid_csv` for a preview of files with a faulty import.csv; then nothing is moved.
 */
export function takeReady(
  parts: TakeParts,
  scope: ShopScope,
  take: TakeRequest,
): Promise<ImportedFiles | null> {
  return retryTransaction(scope, async (tx) => {
    const settings = await lockSettings(tx)
    const { limit = MAX_FILES } = take
    const found = await lockReady(tx, {
      prompt: take.prompt,
      limit,
      only: take.only ?? null,
    })
    const groups = bySource(found, settings)
    for (const [source, ready] of groups) {
      const taken = await withManifests(parts, tx, { ready, dryRun: take.dryRun ?? false })
      if (taken.length === 0) continue
      const operation = await startOrGrow(parts, tx, { taken, source, settings, take })
      return { operation, files: taken.length, isFull: groups.size > 1 || found.length === limit }
    }
    return null
  })
}

/**
 * The files by the source that a trigger names, without those that have changed within its quiet
 * time. Null: no trigger names it.
 */
function bySource(
  found: readonly DropEntry[],
  { sources, now }: LockedSettings,
): Map<string | null, DropEntry[]> {
  const named = new Set(Object.keys(sources))
  if (named.size === 0) return new Map(found.length === 0 ? [] : [[null, [...found]]])
  const ready = found.flatMap((entry) => {
    const source = namedSource(sourceKeys(dropChannel.id, dropOrigin(entry)), named)
    const seconds = (source !== null && ownValue(sources, source)?.quiet_seconds) || 0
    return +entry.quiet_since + seconds * 1000 > +now ? [] : [{ source, entry }]
  })
  const groups = Map.groupBy(ready, ({ source }) => source)
  return new Map([...groups].map(([source, of]) => [source, of.map(({ entry }) => entry)]))
}

interface Growth {
  taken: readonly ClaimedFile[]
  /** Their source, if a trigger names it. */
  source: string | null
  settings: LockedSettings
  take: TakeRequest
}

async function startOrGrow(
  { engine }: TakeParts,
  tx: ShopScope,
  { taken, source, settings: shop, take }: Growth,
): Promise<string> {
  const rule = source === null ? null : ownValue(shop.sources, source)?.on_conflict
  const settings = rule ? { ...shop, on_conflict: rule } : shop
  const { growing, prompt, requestedBy, dryRun = false } = take
  const open = settings.open_source === source ? settings.operation_id : null
  if (growing && settings.operation_id && open === null)
    await engine.close(tx, settings.operation_id)
  if (growing && open && (await addToDropImport(engine, tx, open, taken, settings))) {
    await tx.query('update drop_settings set grown_at = now() where shop_id = :shop')
    return open
  }
  const about = { requestedBy, settings, open: growing, prompt, dryRun }
  const operation = await startDropImport(engine, tx, taken, about)
  if (growing)
    await tx.query(
      `update drop_settings set operation_id = :operation, open_source = :source, grown_at = now()
       where shop_id = :shop`,
      { operation, source },
    )
  return operation
}

// Selects the files of a drop folder that an import takes.

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
const lockReady = (
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
