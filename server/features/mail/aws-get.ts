// Requests to Amazon's own addresses (provider-ses.ts checks the host): certificates of signatures,
// and confirmations of subscriptions.
import { request } from 'undici'
import type { AwsGet } from './provider-ses.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 100 * 1024

/** No redirect is followed. */
export const awsGet: AwsGet = async (url) => {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('The answer of Amazon is too long')
    chunks.push(chunk)
  }
  if (statusCode !== 200) throw new Error(`Amazon answered ${statusCode}`)
  return Buffer.concat(chunks).toString()
}
