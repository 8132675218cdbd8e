// The folders of a connection's account, to choose one from.
import { textOf } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { firstOf } from '../../core/present.ts'
import type { Cloud } from './cloud.ts'
import { openingOf, requireConnection } from './connections.ts'
import { folderRule } from './providers/provider.ts'
import { CloudError } from './rclone/errors.ts'

const MOST = 1000

/**
 * The folders directly in `path`, a path from the root of the account or bucket. Throws `AppError`.
 */
export async function foldersOf(
  cloud: Cloud,
  scope: ShopScope,
  { id, path, signal }: { id: string; path: string; signal: AbortSignal },
): Promise<{ name: string; path: string }[]> {
  const connection = await requireConnection(scope, id)
  const valid = folderRule.safeParse(path)
  if (!valid.success)
    throw new AppError('validation_failed', {
      param: 'path',
      details: [
        {
          param: 'path',
          code: 'invalid_value',
          message: textOf(firstOf(valid.error.issues).message),
        },
      ],
    })
  const opening = openingOf(cloud, scope, connection)
  const settings = { ...opening.settings, folder: '', prefix: '' }
  try {
    const open = await cloud.open(scope, { ...opening, settings })
    try {
      const names = await open.files.folders(path, { signal, most: MOST })
      return names.map((name) => ({ name, path: path === '' ? name : `${path}/${name}` }))
    } finally {
      open.close()
    }
  } catch (error) {
    if (!(error instanceof CloudError)) throw error
    throw new AppError(error.code, {
      message: error.text,
      ...(error.retryAfter === null ? {} : { retryAfter: error.retryAfter }),
    })
  }
}
