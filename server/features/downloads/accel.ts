// Lets the nginx in front of this process send a file: the response has no body, and its
// X-Accel-Redirect header names the blob. Only requests that nginx interprets as we do are passed
// on; this process sends the others.
import type { IncomingMessage } from 'node:http'
import type { ByteRange } from '../../core/store/store.ts'

/**
 * `location`: a storage location on disk; `prefix`: nginx's internal location that serves its
 * folder.
 */
export interface Accel {
  location: string
  prefix: string
}

// Matches one range in the simplest form. For other forms nginx sends several parts or a 416; we send the
// whole file.
const PLAIN_RANGE = /^bytes=(\d+-\d*|-\d+)$/

/**
 * Returns whether nginx may send this response.
 * @param range the part of the file to send; null: the whole file.
 */
export function maySendByNginx(request: IncomingMessage, range: ByteRange | null): boolean {
  const { headers } = request
  // nginx would evaluate these against its own ETag and date, after the download was counted.
  if (headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined)
    return false
  return headers.range === undefined
    ? range === null
    : range !== null && PLAIN_RANGE.test(headers.range)
}

/** The address under which nginx finds a blob (server/core/store/disk-layout.ts). */
export const accelPath = ({ prefix }: Accel, shop: number, hash: string): string =>
  `${prefix}/${shop}/${hash}`
