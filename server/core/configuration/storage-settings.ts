// The storage locations of an installation.
import path from 'node:path'
import type { EnvironmentVariables } from './environment-schema.ts'
import { isSamePlace, parseLocation, type LocationConfig } from '../store/address.ts'

/** The storage locations, by their names. */
export interface Storage {
  primary: LocationConfig
  backup: LocationConfig
}

/** Without a setting, locations are folders in the data folder. Adds problems to `problems`. */
export function readStorage(
  env: EnvironmentVariables,
  dataDir: string,
  problems: string[],
): Storage {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId !== !secretAccessKey)
    problems.push(
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: set both, or neither where the machine has a role',
    )
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
  const read = (name: 'STORAGE_PRIMARY' | 'STORAGE_BACKUP', folder: string): LocationConfig => {
    const usual: LocationConfig = { kind: 'disk', folder: path.join(dataDir, folder) }
    const written = env[name]
    const location =
      written === undefined ? usual : parseLocation(written, credentials, env.AWS_REGION)
    if (typeof location !== 'string') return location
    problems.push(`${name}: ${location}`)
    return usual
  }
  const storage = {
    primary: read('STORAGE_PRIMARY', 'files'),
    backup: read('STORAGE_BACKUP', 'backup'),
  }
  if (isSamePlace(storage.primary, storage.backup))
    problems.push(
      'STORAGE_BACKUP: set another place than STORAGE_PRIMARY: in the same one it is no backup',
    )
  return storage
}

/** The uploads whose bytes browsers send straight to the bucket. */
export interface DirectUploads {
  /** Uploads of fewer bytes are sent to the web process. */
  min_bytes: number
  /** The bytes of a request to the bucket; absent: 32 MB. */
  piece_bytes?: number
}
