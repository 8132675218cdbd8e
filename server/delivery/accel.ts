// Handing a file to the nginx in front of us: an answer without a body whose X-Accel-Redirect names the blob, which nginx
// sends in our place. Only what nginx surely understands as we do is handed over; the rest we send ourselves.
import type { IncomingMessage } from 'node:http'
import type { ByteRange } from '../store/store.ts'

/** `prefix`: nginx's internal location of the folder in which `location`, a storage location on a disk, keeps its blobs. */
export interface Accel {
  location: string
  prefix: string
}

// One range, in the plainest form: of others nginx makes several parts, or a 416, where we give the whole file.
const PLAIN_RANGE = /^bytes=(\d+-\d*|-\d+)$/

/** May nginx send this? `range`: the part of the file that we have decided on. */
export function mayHandOver(request: IncomingMessage, range: ByteRange | null): boolean {
  const { headers } = request
  // nginx would judge these by its own idea of the file, after we have counted.
  if (headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined) return false
  return headers.range === undefined ? range === null : range !== null && PLAIN_RANGE.test(headers.range)
}

/** Where nginx finds a blob on disk (server/store/disk-layout.ts). */
export const accelPath = ({ prefix }: Accel, shop: number, hash: string): string => `${prefix}/${shop}/${hash}`
