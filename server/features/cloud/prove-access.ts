// Verifies access to a provider before it is stored.
import { ownValue } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { Cloud, RemoteAccess } from './cloud.ts'
import type { Provider } from './providers/provider.ts'
import { CloudError } from './rclone/errors.ts'

const CHECK_MS = 45_000

/** Reads the first page of a listing, to verify the keys, the bucket and the folder. */
export async function proveAccess(
  cloud: Cloud,
  scope: ShopScope,
  opening: RemoteAccess,
): Promise<void> {
  const open = await cloud.open(scope, opening).catch(refuse)
  try {
    await open.files.probe(AbortSignal.timeout(CHECK_MS))
  } catch (error) {
    refuse(error, opening.provider)
  } finally {
    open.close()
  }
}

function refuse(error: unknown, provider?: Provider): never {
  if (error instanceof DOMException) throw new AppError('cloud_unreachable')
  if (!(error instanceof CloudError)) throw error
  const has = (name: string) => provider?.fields.some((field) => field.name === name)
  const secret = provider?.fields.find((field) => field.secret)?.name
  const param = ownValue(
    {
      cloud_access_denied: secret,
      cloud_access_revoked: secret,
      cloud_folder_not_found: has('bucket') ? 'bucket' : 'folder',
      cloud_unreachable: has('endpoint') ? 'endpoint' : undefined,
      cloud_redirected: 'endpoint',
      cloud_not_a_listing: has('endpoint') ? 'endpoint' : undefined,
      cloud_wrong_region: has('region') ? 'region' : undefined,
    },
    error.code as string,
  )
  const { code, text: message } = error
  throw new AppError(code, {
    message,
    ...(param === undefined ? {} : { param, details: [{ param, code, message }] }),
    ...(error.retryAfter === null ? {} : { retryAfter: error.retryAfter }),
  })
}
