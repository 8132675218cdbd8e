// One check of a shop's drop folder: the files that are ready become an import, or join the open
// one. Files next to an import.csv get the settings of its rows.
import type { ShopScope } from '../../../db/for-shop.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { BlobStore } from '../../../store/store.ts'
import { lockSettings, type LockedSettings } from '../settings.ts'
import { addTo, startOf, type Taken } from './claim.ts'
import { withManifests } from './manifests.ts'
import { lockReady } from './ready.ts'

export interface TakeParts {
  engine: Engine
  stores: ReadonlyMap<string, BlobStore>
}

export interface Take {
  requestedBy: string
  /** Files that the protocol confirms as whole are taken without waiting. */
  prompt: boolean
  /** They join the open import; if there is none, one is opened. */
  growing: boolean
  /** Only this file, by its UUID. */
  only?: string | undefined
  /** A preview: the files stay in their folders until it is confirmed. */
  dryRun?: boolean
  /** Tests use fewer. */
  most?: number | undefined
}

/** Of one import: an item for each is written in one transaction. */
const MOST_FILES = 5000

/** Null: no file was ready. Otherwise the import's UUID, and its number of files. */
export interface TakenNow {
  operation: string
  files: number
  /** There may be more files than one import takes. */
  isFull: boolean
}

/**
 * Throws `invalid_csv` for a preview of files with a faulty import.csv: nothing is moved. Runs in
 * one transaction, which locks the shop's row of settings: nobody else takes files or adds to the
 * open import meanwhile.
 */
export function takeReady(
  parts: TakeParts,
  scope: ShopScope,
  take: Take,
): Promise<TakenNow | null> {
  return scope.transaction(async (tx) => {
    const settings = await lockSettings(tx)
    const { most = MOST_FILES } = take
    const ready = await lockReady(tx, {
      prompt: take.prompt,
      most,
      only: take.only ?? null,
    })
    const taken = await withManifests(parts, tx, { ready, dryRun: take.dryRun ?? false })
    if (taken.length === 0) return null
    const operation = await startOrGrow(parts, tx, { taken, settings, take })
    return { operation, files: taken.length, isFull: ready.length === most }
  })
}

interface Growth {
  taken: readonly Taken[]
  settings: LockedSettings
  take: Take
}

async function startOrGrow(
  { engine }: TakeParts,
  tx: ShopScope,
  { taken, settings, take }: Growth,
): Promise<string> {
  const { growing, prompt, requestedBy, dryRun = false } = take
  const open = settings.operation_id
  if (growing && open && (await addTo(engine, tx, open, taken, settings))) {
    await tx.query('update drop_settings set grown_at = now() where shop_id = :shop')
    return open
  }
  const about = { requestedBy, settings, open: growing, prompt, dryRun }
  const operation = await startOf(engine, tx, taken, about)
  if (growing)
    await tx.query(
      'update drop_settings set operation_id = :operation, grown_at = now() where shop_id = :shop',
      { operation },
    )
  return operation
}
