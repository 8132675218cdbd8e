// The bucket of the bench, as a separate process. Its objects are generated when they are read.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { startBucket } from '../../fakes/bucket.ts'

const MB = 1024 ** 2
const piece = randomBytes(MB)
const bucket = await startBucket()

/** Each object begins with its key, so that no two have the same bytes or name. */
function fill({ prefix, count, size }: { prefix: string; count: number; size: number }): void {
  for (let n = 0; n < count; n++) {
    const head = Buffer.from(`${prefix}${n}`.padEnd(64))
    const read = (start: number, end: number) => {
      const bytes = Buffer.allocUnsafe(end - start)
      for (let at = 0; at < bytes.length;) {
        const from = (start + at) % MB
        at += piece.copy(bytes, at, from, Math.min(MB, from + bytes.length - at))
      }
      if (start < head.length) head.copy(bytes, 0, start, Math.min(head.length, end))
      return bytes
    }
    const hash = createHash('md5')
    for (let at = 0; at < size; at += MB) hash.update(read(at, Math.min(size, at + MB)))
    const etag = hash.digest('hex')
    bucket.objects.set(`${prefix}${prefix.slice(0, -1)} ${n}.bin`, {
      size,
      etag,
      modified: new Date(),
      read,
    })
  }
}

process.on('message', (message: { prefix: string; count: number; size: number }) => {
  fill(message)
  bucket.requests.length = 0
  process.send!('filled')
})
process.send!(bucket.connection())
await once(process, 'disconnect')
await bucket.close()
