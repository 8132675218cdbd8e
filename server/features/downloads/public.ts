// A public file: GET or HEAD /files/{token}/{filename}, counted here and sent or redirected to the
// CDN. And GET /cdn/…, at which the CDN fetches what it caches: not counted, because the redirect
// was.
import type { IncomingMessage } from 'node:http'
import { isLinkFile } from '../../../plugins/contract/index.ts'
import { publicPath } from '../../files/public-addresses.ts'
import type { Client } from '../../core/client-address.ts'
import { evaluateConditions, isProbe, namesVersion } from '../../http/conditions.ts'
import { immutableFor, REDIRECT, PUBLIC } from '../../http/headers.ts'
import type { Secrets } from '../../core/secrets.ts'
import { percentDecoded } from '../../core/texts.ts'
import type { KnownPublic, PublicCounter, PublicTarget } from './counting/public-counter.ts'
import { UNCOUNTED, type FileTransfer } from './counting/file-transfer.ts'
import { isSiteAllowed, isPlain, sitesIn } from './request.ts'
import { refuse, RETRY_LATER } from './refusal.ts'
import { isBodiless, rangeOfAnswer, representation, type Part, type Visit } from './response.ts'
import type { ByteServer } from './serve.ts'
import { createSigner } from './signer.ts'

export interface PublicParts {
  counter: PublicCounter
  serving: ByteServer
  clientOf: (request: IncomingMessage) => Client
  /** Makes and reads addresses of the CDN; null if there is none. */
  signed: SignedAddresses | null
  /** Without a trailing slash: an expired address of the CDN redirects here. */
  baseUrl: string
}

export function createPublic(given: PublicParts) {
  const parts = { ...given, sent: new SentVersions() }
  return {
    answer: (visit: Visit, token: string) => answer(parts, visit, token),
    answerSigned: (visit: Visit, path: string) => answerSigned(parts, visit, path),
  }
}

type StableParts = PublicParts & { sent: SentVersions }

async function answer(parts: StableParts, visit: Visit, token: string): Promise<void> {
  const { request, response, now } = visit
  const sites = sitesIn(request)
  const client = parts.clientOf(request)
  const count = () => parts.counter.count({ token, client, sites, now })
  if (isPlain(request)) {
    const download = await count()
    if (download) {
      parts.sent.note(download.target, client, now)
      return give(parts, visit, partOf(download.target), download.transfer)
    }
  }
  const known = await parts.counter.lookUp(token)
  if (!known) return refuse(request, response, 'file_not_found')
  const { shop, target } = known
  if (known.referrers.length > 0 && !isSiteAllowed(known.referrers, sites))
    return refuse(request, response, 'referrer_not_allowed', { shop })
  if (target.damaged)
    return refuse(request, response, 'file_damaged', { shop, headers: RETRY_LATER })
  const range = await answerUncounted(parts, visit, known)
  if (range === 'answered') return
  const isGranted = range === null || range.start === 0 || continuesVersion(parts, visit, target)
  // A later part continues a download that was counted at its first byte.
  if (range && isGranted && (range.start > 0 || isProbe(range, target.size)))
    return give(parts, visit, { ...partOf(target), range }, UNCOUNTED)
  const download = await count()
  // The file was withdrawn since the look-up.
  if (!download) return refuse(request, response, 'file_not_found')
  parts.sent.note(download.target, client, now)
  const same = download.target.hash === target.hash
  const part = { ...partOf(download.target), range: same && isGranted ? range : null }
  return give(parts, visit, part, download.transfer)
}

/**
 * Does a later part continue the version that the client has? Without a condition on the version only
 * if the file was not replaced since the client's transfer began: the client would join two versions.
 */
const continuesVersion = (
  { sent, clientOf }: StableParts,
  { request, now }: Visit,
  target: PublicTarget,
): boolean => namesVersion(request.headers) || sent.continues(target, clientOf(request), now)

const partOf = (target: PublicTarget) => ({ target, range: null, audience: PUBLIC })

/** Answers HEAD, and conditions that need no body; else returns the part that is asked for. */
async function answerUncounted(parts: PublicParts, visit: Visit, { target, shop }: KnownPublic) {
  const { request } = visit
  if (isLinkFile(target.contentType)) {
    if (request.method !== 'HEAD') return null
    await parts.serving.describe(
      visit,
      { ...partOf(target), range: null },
      { status: 200 },
      { shop },
    )
    return 'answered'
  }
  const decision = evaluateConditions(request.method ?? '', request.headers, representation(target))
  const range = rangeOfAnswer(decision)
  const bodiless = isBodiless(decision)
  if (!bodiless && request.method !== 'HEAD') return range
  const address = bodiless ? null : cdnAddress(parts, visit, target)
  if (address === null)
    await parts.serving.describe(visit, { ...partOf(target), range }, decision, { shop })
  else redirect(visit, address)
  return 'answered'
}

const permitOf = ({ token }: PublicTarget) => ({ kind: 'public', token }) as const

/** The file's address on the CDN; null: it is not delivered there. */
const cdnAddress = ({ signed }: PublicParts, { now }: Visit, target: PublicTarget) =>
  signed && target.cdn && !isLinkFile(target.contentType) ? signed.addressOf(target, now) : null

async function give(
  parts: PublicParts,
  visit: Visit,
  part: Part & { target: PublicTarget },
  transfer: FileTransfer,
): Promise<void> {
  const { target } = part
  // The client would send the Range that is not granted to the CDN.
  const isDenied = visit.request.headers.range !== undefined && part.range === null
  const address = isDenied ? null : cdnAddress(parts, visit, target)
  if (address === null) {
    const permitted = { ...part, redirectHeaders: REDIRECT, permit: permitOf(target) }
    return parts.serving.serve(visit, permitted, transfer)
  }
  redirect(visit, address)
  transfer.confirmed()
}

function redirect({ response }: Visit, address: string): void {
  response.writeHead(302, [...REDIRECT, 'Location', address, 'Content-Length', '0'])
  response.end()
}

/** For the CDN, and for anyone who has one of its addresses. */
async function answerSigned(parts: PublicParts, visit: Visit, path: string): Promise<void> {
  const { request, response, now } = visit
  const address = parts.signed?.read(path, now)
  if (!address) return refuse(request, response, 'file_not_found')
  const { token, hash, secondsLeft } = address
  const target = secondsLeft > 0 ? await parts.counter.lookUpVersion(token, hash) : null
  if (!target) return redirectExpired(parts, visit, address)
  if (target.damaged) return refuse(request, response, 'file_damaged', { headers: RETRY_LATER })
  const decision = evaluateConditions(request.method ?? '', request.headers, representation(target))
  const audience = immutableFor(secondsLeft)
  const part: Part = { target, range: rangeOfAnswer(decision), audience }
  if (request.method === 'HEAD' || isBodiless(decision))
    return parts.serving.describe(visit, part, decision, {})
  await parts.serving.serve(visit, { ...part, permit: permitOf(target) }, UNCOUNTED)
}

/** The stable address serves the current version and counts. */
function redirectExpired(
  { baseUrl }: PublicParts,
  { response }: Visit,
  { token, filename }: SignedPath,
): void {
  const address = `${baseUrl}/${publicPath(token, filename)}`
  response.writeHead(302, [...REDIRECT, 'Location', address])
  response.end()
}

// Which version of a public file each client was last sent from its first byte. Public files have no
// sessions, so this process remembers it: another one sends the whole file.

const MANY = 10_000
/** As long as a session of a link. */
const KEPT_MS = 30 * 60_000

interface Sent {
  hash: string
  until: number
}

class SentVersions {
  readonly #sent = new Map<string, Sent>()

  /** The client is sent the file from its first byte, and may continue it. */
  note(target: PublicTarget, client: Client, now: Date): void {
    // A file that was never replaced has no other version to be told from.
    if (target.steady) return
    const key = keyOf(target, client)
    this.#sent.delete(key)
    this.#sent.set(key, { hash: target.hash, until: now.getTime() + KEPT_MS })
    const [oldest] = this.#sent.keys()
    if (this.#sent.size > MANY && oldest !== undefined) this.#sent.delete(oldest)
  }

  /** Whether a later part continues the version that the client has the beginning of. */
  continues(target: PublicTarget, client: Client, now: Date): boolean {
    if (target.steady) return true
    const sent = this.#sent.get(keyOf(target, client))
    if (sent?.hash !== target.hash || sent.until <= now.getTime()) return false
    this.note(target, client, now)
    return true
  }
}

const keyOf = ({ token }: PublicTarget, { hash }: Client): string =>
  `${token} ${hash.toString('base64')}`

// Signed addresses on the CDN: one version of a public file, valid for one to two hours. The CDN
// requests the same path from us and may cache the response, because the bytes of a version never
// change. The expiry is rounded to the hour, so that all visitors of an hour share one address and
// the CDN fetches a file once an hour.

const STEP_SECONDS = 60 * 60

/** The contents of a signed path; `secondsLeft` is 0 or less once it has expired. */
interface SignedPath {
  token: string
  hash: string
  filename: string
  secondsLeft: number
}

interface SignedAddresses {
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
