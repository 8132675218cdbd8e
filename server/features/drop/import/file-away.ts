// Moves the files of ended imports, in small transactions: the next run continues after a crash.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { ERRORS } from '../../../core/errors.ts'
import type { BlobStore } from '../../../core/store/store.ts'
import { readSettings } from '../settings.ts'
import { endedFiles, fileFailed, fileProcessed, noteAccounts, type EndedFile } from './filing.ts'
import { fileCompleteManifests } from './manifests.ts'
import type { Reason } from '../note.ts'

const BATCH_SIZE = 100

/** Moves the files of ended imports and returns their number. */
export async function fileAway(
  scope: ShopScope,
  stores: ReadonlyMap<string, BlobStore>,
  signal: AbortSignal,
): Promise<number> {
  const { move_to_processed } = await readSettings(scope)
  let moved = 0
  for (let ended: EndedFile[] = []; ; moved += ended.length) {
    signal.throwIfAborted()
    ended = await scope.transaction(async (tx) => {
      const files = await endedFiles(tx, BATCH_SIZE)
      const imported = files.filter(({ status }) => status === 'done')
      await noteAccounts(tx, imported)
      await fileProcessed(tx, imported, move_to_processed)
      for (const file of files)
        if (file.status !== 'done') await fileFailed({ scope: tx, stores }, file, reasonOf(file))
      const manifests = new Set(files.flatMap(({ manifest_id }) => manifest_id ?? []))
      if (manifests.size > 0) await fileCompleteManifests({ stores }, tx, [...manifests])
      return files
    })
    if (ended.length < BATCH_SIZE) return moved + ended.length
  }
}

function reasonOf({ status, item_error }: EndedFile): Reason {
  if (item_error) return item_error
  const code = status === 'cancelled' ? 'operation_cancelled' : 'drop_file_gone'
  return { code, message: ERRORS[code].message }
}
