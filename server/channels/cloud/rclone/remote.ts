// A provider's folder as rclone is told of it.
import { REMOTE } from './run.ts'

export interface Remote {
  /** Options of the backend; `TYPE` first. They reach rclone by environment. */
  settings: Readonly<Record<string, string>>
  /** The synced folder within it, without a slash at its ends; '' is all of it. */
  root: string
  /** The hash that its listings have without reading files; null: none. */
  hash: string | null
  /** Options of a listing. */
  listing: readonly string[]
  /** Settings for fetching many objects whose paths are known. */
  fetching: Readonly<Record<string, string>>
  /** A merchant chose its endpoint: it is given as plain http, and our proxy speaks TLS to it. */
  forwarded?: boolean
  /** Kilobytes a second that a run may use; null: all. */
  bandwidth: number | null
}

/** As rclone takes it: the remote's name and colon come first, so that a path is nothing else. */
export const rootPath = ({ root }: Pick<Remote, 'root'>, path = ''): string =>
  `${REMOTE}${[root, path].filter((part) => part !== '').join('/')}`

/** Options of a run that copies bytes. */
export const limits = ({ bandwidth }: Pick<Remote, 'bandwidth'>): readonly string[] =>
  bandwidth === null ? [] : ['--bwlimit', `${bandwidth}K`]
