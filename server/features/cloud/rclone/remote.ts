// A provider's folder in rclone's terms.
import { REMOTE } from './run.ts'

export interface Remote {
  /** Options of the backend, `TYPE` first. rclone reads them from the environment. */
  settings: Readonly<Record<string, string>>
  /** The synced folder within it, without slashes at its ends; '' is all of it. */
  root: string
  /** The hash in its listings that needs no reading of files; null: none. */
  hash: string | null
  /**
   * Whether a hash of a listing may be that of other bytes, as the ETags of S3 are for objects that are
   * encrypted with a key of KMS or of the customer.
   */
  doubtfulHash?: boolean
  /** Options of a listing. */
  listing: readonly string[]
  /** Settings for fetching many objects whose paths are known. */
  fetching: Readonly<Record<string, string>>
  /** Whether sizes and hashes in listings may differ from the bytes: they are not compared then. */
  approximate?: boolean
  /** Whether hashes are not compared, but sizes are. */
  unchecked?: boolean
  /**
   * Whether a merchant chose the endpoint: rclone gets it as plain http, and our proxy uses TLS to
   * it.
   */
  forwarded?: boolean
  /** An endpoint of this machine that a merchant chose: rclone gets an address of our proxy for it. */
  local?: string
  /** The bandwidth of a run in kilobytes per second; null: unlimited. */
  bandwidth: number | null
}

/**
 * The path for rclone: it begins with the remote's name and a colon, so that rclone reads it
 * neither as a local path nor as another remote.
 */
export const rootPath = ({ root }: Pick<Remote, 'root'>, path = ''): string =>
  `${REMOTE}${[root, path].filter((part) => part !== '').join('/')}`

/** Options of a run that copies bytes. */
export const limits = ({
  bandwidth,
  approximate,
  unchecked,
}: Pick<Remote, 'bandwidth' | 'approximate' | 'unchecked'>): readonly string[] => [
  ...(bandwidth === null ? [] : ['--bwlimit', `${bandwidth}K`]),
  ...(approximate ? ['--ignore-size'] : []),
  ...(approximate || unchecked ? ['--ignore-checksum'] : []),
]
