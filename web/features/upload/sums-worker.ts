// Answers each file with its SHA-256, or null if it cannot be read, beside the page: hashing 500 MB
// takes seconds.
import { sha256Of } from './sha256.ts'

addEventListener('message', ({ data }: MessageEvent<File>) => {
  void sha256Of(data).then(
    (sum) => postMessage(sum),
    () => postMessage(null),
  )
})
