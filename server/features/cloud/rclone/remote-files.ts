// The files of a connection at its provider. rclone reaches every provider; the sample provider of
// demo mode is a folder of this machine, so that it needs no program.
import type { CloudError } from './errors.ts'

export interface RemoteFile {
  /** Relative to the root of the connection. */
  path: string
  size_bytes: number
  hash: string | null
  /** ISO 8601. */
  modified_at: string | null
}

export type FetchResult = { path: string } & ({ file: string } | { error: CloudError })

/** All of these throw `CloudError`, or the reason of `signal`. */
export interface RemoteFiles {
  /** A fetched file may have another size than its listing says. */
  approximate: boolean
  /**
   * Gives pages of all files below the root. An incomplete listing throws: missing objects would
   * count as deleted.
   */
  list(options: {
    signal: AbortSignal
    page: number
    onPage(files: RemoteFile[]): Promise<void>
  }): Promise<void>
  /** The current state of one file; `cloud_file_not_found`. */
  stat(path: string, signal: AbortSignal): Promise<RemoteFile>
  /** Names of the folders directly in `path`, by name. */
  folders(path: string, options: { signal: AbortSignal; most: number }): Promise<string[]>
  /**
   * Copies objects into `folder`, and gives each when its file is complete, or its error. The
   * caller removes the folder.
   *
   * @param options.bytes of all objects, as they are listed.
   */
  fetch(
    paths: readonly string[],
    options: { folder: string; bytes: number; signal: AbortSignal },
  ): AsyncGenerator<FetchResult>
  /** Creates or replaces the object with the bytes of `file`; gives it as the provider has it. */
  put(path: string, file: string, signal: AbortSignal): Promise<RemoteFile>
  /** Renames the object; `cloud_file_not_found` if it does not exist any more. */
  move(from: string, to: string, signal: AbortSignal): Promise<RemoteFile>
  /** Idempotent: a missing object counts as deleted. */
  remove(path: string, signal: AbortSignal): Promise<void>
  /** Checks that the root can be listed. */
  probe(signal: AbortSignal): Promise<void>
}
