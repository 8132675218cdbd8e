// One file of this computer: its bytes, its digest, and whether it is still the same.
import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { StevedoreError } from './errors.ts'
import type { ByteSource } from './tus.ts'

/** What tells whether a file was changed. */
export interface FileState {
  size: number
  /** Milliseconds. */
  mtime: number
}

export async function stateOf(file: string): Promise<FileState> {
  const { size, mtimeMs } = await stat(file)
  return { size, mtime: mtimeMs }
}

export const isSame = (one: FileState, other: FileState): boolean =>
  one.size === other.size && one.mtime === other.mtime

const changed = (file: string) =>
  new StevedoreError('file_changed', `${file} was changed while it was being sent`)

/** Opens a file for an upload. `known`: what it was when its digest was computed. */
export async function openFile(file: string, known?: FileState): Promise<ByteSource> {
  const handle = await open(file)
  const begun = known ?? (await stateOf(file))
  return {
    size: begun.size,
    read: async (from, length) => {
      const bytes = new Uint8Array(length)
      let read = 0
      while (read < length) {
        const { bytesRead } = await handle.read(bytes, read, length - read, from + read)
        if (bytesRead === 0) throw changed(file)
        read += bytesRead
      }
      return bytes
    },
    requireUnchanged: async () => {
      if (!isSame(await stateOf(file), begun)) throw changed(file)
    },
    close: () => handle.close(),
  }
}

const SLICE_BYTES = 1024 ** 2

/** The SHA-256 digest of a file in hex, read in slices. */
export async function digestOf(
  file: string,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(file)
  try {
    for await (const slice of handle.createReadStream({
      highWaterMark: SLICE_BYTES,
      autoClose: false,
      signal,
    })) {
      const bytes = slice as Buffer
      hash.update(bytes)
      onProgress(bytes.length)
    }
    return hash.digest('hex')
  } finally {
    await handle.close()
  }
}
