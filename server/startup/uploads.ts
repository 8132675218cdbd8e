// Opens the place of uploads: the bucket if files are in one and no folder is set, otherwise a folder.
import path from 'node:path'
import { ConfigError } from '../core/config-error.ts'
import type { Environment } from '../core/configuration/environment.ts'
import type { LocationConfig } from '../core/store/address.ts'
import type { Config } from './config.ts'
import {
  joinFolder,
  openUploadBucket,
  openUploadFolder,
  withBucket,
  type JoinParts,
  type UploadFolder,
} from '../features/upload/upload.ts'

/** The folder of uploads that are not in a bucket. */
export const uploadFolder = ({
  dataDir,
  uploadDir,
}: Pick<Environment, 'dataDir' | 'uploadDir'>): string => uploadDir ?? path.join(dataDir, 'uploads')

/** Throws `ConfigError` if the folder cannot be used. */
export async function openUploads(
  environment: Pick<Environment, 'dataDir' | 'uploadDir'>,
  primary: LocationConfig,
  parts: JoinParts,
): Promise<UploadFolder> {
  const folder = openFolder(environment)
  // Written at the first start.
  await folder.marker().catch((error: unknown) => unusable(environment, error))
  if (primary.kind === 'disk') return joinFolder(folder, parts)
  // Loaded only if it is used, as in stores.ts.
  const { openPieces } = await import('../core/store/s3-pieces.ts')
  const bucket = await openUploadBucket(openPieces(primary, 'uploads'), parts.database)
  return joinFolder(withBucket(folder, bucket, environment.uploadDir === null), parts)
}

/** The bucket's origin if browsers send uploads straight to it. */
export async function directOrigin({
  directUploads,
  storage: { primary },
}: Pick<Config, 'directUploads' | 'storage'>): Promise<string | null> {
  if (!directUploads || primary.kind !== 's3') return null
  const { originOf } = await import('../core/store/s3-origin.ts')
  return originOf(primary)
}

function openFolder(environment: Pick<Environment, 'dataDir' | 'uploadDir'>): UploadFolder {
  try {
    return openUploadFolder(uploadFolder(environment))
  } catch (error) {
    return unusable(environment, error)
  }
}

function unusable(environment: Pick<Environment, 'dataDir' | 'uploadDir'>, error: unknown): never {
  const setting = environment.uploadDir === null ? 'DATA_DIR' : 'UPLOAD_DIR'
  const path = uploadFolder(environment)
  const reason = error instanceof Error ? error.message : String(error)
  throw new ConfigError([`${setting}: the folder ${path} can't be used (${reason})`])
}
