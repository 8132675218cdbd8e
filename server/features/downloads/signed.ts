// Signed addresses on the CDN: one version of a public file, valid for one to two hours. The CDN
// requests the same path from us and may cache the response, because the bytes of a version never
// change. The expiry is rounded to the hour, so that all visitors of an hour share one address and
// the CDN fetches a file once an hour.
import type { Secrets } from '../../core/secrets.ts'
import type { PublicTarget } from './counting/public-counter.ts'
import { createSigner } from './signer.ts'
import { percentDecoded } from '../../core/percent-decoded.ts'

const STEP_SECONDS = 60 * 60

/** The contents of a signed path; `secondsLeft` is 0 or less once it has expired. */
export interface SignedPath {
  token: string
  hash: string
  filename: string
  secondsLeft: number
}

export interface SignedAddresses {
  addressOf(target: Pick<PublicTarget, 'token' | 'hash' | 'filename'>, now: Date): string
  /** Reads a signed path; returns null if the signature is invalid. */
  read(path: string, now: Date): SignedPath | null
}

const PATH = /^\/cdn\/(\d{1,12})\/([A-Za-z0-9_-]{43})\/([0-9a-f-]{36})\/([0-9a-f]{64})\/([^/]+)$/

/** @param base the CDN's address, without a trailing slash. */
export function createSignedAddresses(
  base: string,
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>,
): SignedAddresses {
  const signer = createSigner(secrets, 'cdn')
  return {
    addressOf: ({ token, hash, filename }, now) => {
      const expires = String((Math.floor(now.getTime() / 1000 / STEP_SECONDS) + 2) * STEP_SECONDS)
      const signature = signer.sign([expires, token, hash, filename].join('/'))
      return `${base}/cdn/${expires}/${signature}/${token}/${hash}/${encodeURIComponent(filename)}`
    },
    read: (path, now) => {
      const [, expires, signature, token, hash, encoded] = PATH.exec(path) ?? []
      if (!expires || !signature || !token || !hash || !encoded) return null
      // Decoded, because a CDN may change the escapes.
      const filename = percentDecoded(encoded)
      if (filename === null) return null
      if (!signer.isSigned([expires, token, hash, filename].join('/'), signature)) return null
      return {
        token,
        hash,
        filename,
        secondsLeft: Number(expires) - Math.floor(now.getTime() / 1000),
      }
    },
  }
}
