// Imports the files that wait in the drop folder, on a person's request.
import { type Text, say } from '../../../../plugins/contract.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { queueTask } from '../../../core/queue/background.ts'
import { AppError } from '../../../core/errors.ts'
import { readDropFile } from '../listing.ts'
import { ensureSettings } from '../settings.ts'
import { countWaiting, QUIET_SECONDS } from './ready.ts'
import { takeReady, type ImportedFiles, type TakeParts } from './take.ts'
import { DROP_TASK } from '../wake.ts'

export interface ImportNow {
  requestedBy: string
  /** Imports only this file, by its UUID. */
  only?: string | undefined
  /** Whether the import is only a preview until it is confirmed. */
  dryRun: boolean
  /** The maximum number of files in one import; tests set a lower one. */
  limit?: number
}

/**
 * Starts as many imports as the waiting files need; a preview is always one. Returns the UUID of
 * the first. Throws `not_found` if there is no such file, `conflict` if none is ready, errors of
 * starting an import, and for a preview as `takeReady` does.
 */
export async function importNow(
  parts: TakeParts,
  scope: ShopScope,
  { requestedBy, only, dryRun, limit }: ImportNow,
): Promise<string> {
  if (only !== undefined && !(await readDropFile(scope, only))) throw new AppError('not_found')
  await ensureSettings(scope)
  const take = { requestedBy, prompt: true, growing: false, only, dryRun, limit }
  const taken = await takeReady(parts, scope, take)
  if (!taken) throw new AppError('conflict', { message: await nothingReadyReason(scope) })
  let last: ImportedFiles | null = taken
  while (last?.isFull && !dryRun && only === undefined) last = await takeReady(parts, scope, take)
  // The task's run moves the files away when their items end.
  await queueTask(scope, DROP_TASK, String(scope.shop))
  return taken.operation
}

async function nothingReadyReason(scope: ShopScope): Promise<Text> {
  const { files } = await countWaiting(scope)
  const row = await scope.one<{ writing: number }>(
    `select count(*)::int as writing from drop_entries where shop_id = :shop and state = 'writing'`,
  )
  if (files > 0)
    return say(
      'The files came less than {count} seconds ago, or wait for an import.csv: try again soon',
      { count: QUIET_SECONDS },
    )
  if (row.writing > 0)
    return say('The files are still being sent: import them once they are complete')
  return say('No file in the drop folder waits to be imported')
}
