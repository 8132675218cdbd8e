// The SHA-256 of a file, slice by slice: the browser's own function needs all bytes in memory.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

const SLICE_BYTES = 4 * 1024 ** 2

/** Rejects if the file cannot be read, for example because it was moved after it was chosen. */
export async function sha256Of(file: Pick<Blob, 'size' | 'slice'>): Promise<string> {
  const sum = sha256.create()
  for (let from = 0; from < file.size; from += SLICE_BYTES)
    sum.update(new Uint8Array(await file.slice(from, from + SLICE_BYTES).arrayBuffer()))
  return bytesToHex(sum.digest())
}
