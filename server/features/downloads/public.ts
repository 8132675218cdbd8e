// A public file: GET or HEAD /files/{token}/{filename}, counted here and sent or redirected to the
// CDN. And GET /cdn/…, at which the CDN fetches what it caches: not counted, because the redirect
// was.
import { publicPath } from '../../files/public-addresses.ts'
import { evaluateConditions, isProbe } from '../../http/conditions.ts'
import { immutableFor, REDIRECT, PUBLIC } from '../../http/headers.ts'
import type { PublicCounting, PublicTarget } from './public-counting.ts'
import { isSiteAllowed, sitesOf } from './referrers.ts'
import { refuse, RETRY_LATER } from './refusal.ts'
import { isPlain } from './request.ts'
import {
  isBodiless,
  representation,
  withoutBody,
  type Part,
  type ByteServer,
  type Visit,
} from './serve.ts'
import type { SignedAddresses } from './signed.ts'
import type { FileTarget } from './targets.ts'

export interface PublicParts {
  counting: PublicCounting
  serving: ByteServer
  /** Null: without a CDN. */
  signed: SignedAddresses | null
  /** Without a trailing slash: an expired address of the CDN redirects here. */
  baseUrl: string
  /** Called for each counted download. */
  counted(visit: Visit, target: FileTarget): void
}

export function createPublic({ counting, serving, signed, baseUrl, counted }: PublicParts) {
  async function answer(visit: Visit, token: string): Promise<void> {
    const { request, response, now } = visit
    const sites = sitesOf(request.headers.referer)
    const count = () => counting.count({ token, sites, now })
    if (isPlain(request)) {
      const target = await count()
      if (target) return give(visit, { target, range: null, audience: PUBLIC }, true)
    }
    const known = await counting.lookUp(token)
    if (!known) return refuse(request, response, 'file_not_found')
    const { shop } = known
    if (!isSiteAllowed(known.referrers, sites))
      return refuse(request, response, 'referrer_not_allowed', { shop })
    if (known.target.damaged)
      return refuse(request, response, 'file_damaged', { shop, headers: RETRY_LATER })
    const decision = evaluateConditions(
      request.method ?? '',
      request.headers,
      representation(known.target),
    )
    const range = 'range' in decision ? decision.range : null
    const part = { target: known.target, range, audience: PUBLIC }
    if (isBodiless(decision)) return withoutBody(visit, part, decision, { shop })
    if (request.method === 'HEAD')
      return usesCdn(known.target)
        ? redirect(visit, known.target)
        : withoutBody(visit, part, decision, { shop })
    // A later part continues a download that was counted at its first byte.
    if (range && (range.start > 0 || isProbe(range, known.target.size)))
      return give(visit, part, false)
    const target = await count()
    // It was withdrawn since the look-up.
    if (!target) return refuse(request, response, 'file_not_found')
    const same = target.hash === known.target.hash
    return give(visit, { target, range: same ? range : null, audience: PUBLIC }, true)
  }

  const permitOf = ({ token }: PublicTarget) => ({ kind: 'public', token }) as const
  const usesCdn = (target: PublicTarget) => signed !== null && target.cdn

  async function give(
    visit: Visit,
    part: Part & { target: PublicTarget },
    isCounted: boolean,
  ): Promise<void> {
    const { target } = part
    const begun = () => counted(visit, target)
    const undo = () => counting.revertCount(target)
    if (!usesCdn(target))
      return void (await serving.serve(
        visit,
        { ...part, redirectHeaders: REDIRECT, permit: permitOf(target) },
        isCounted ? { begun, undo } : {},
      ))
    redirect(visit, target)
    if (isCounted) begun()
  }

  function redirect({ response, now }: Visit, target: PublicTarget): void {
    response.writeHead(302, [
      ...REDIRECT,
      'Location',
      signed!.addressOf(target, now),
      'Content-Length',
      '0',
    ])
    response.end()
  }

  /** For the CDN, and for anyone who has one of its addresses. */
  async function answerSigned(visit: Visit, path: string): Promise<void> {
    const { request, response, now } = visit
    const address = signed?.read(path, now)
    if (!address) return refuse(request, response, 'file_not_found')
    const { token, hash, filename, secondsLeft } = address
    const target = secondsLeft > 0 ? await counting.lookUpVersion(token, hash) : null
    if (!target) {
      // An expired address: the stable one serves the current version and counts.
      response.writeHead(302, [
        ...REDIRECT,
        'Location',
        `${baseUrl}/${publicPath(token, filename)}`,
      ])
      return void response.end()
    }
    if (target.damaged) return refuse(request, response, 'file_damaged', { headers: RETRY_LATER })
    const decision = evaluateConditions(
      request.method ?? '',
      request.headers,
      representation(target),
    )
    const audience = immutableFor(secondsLeft)
    const part: Part = { target, range: 'range' in decision ? decision.range : null, audience }
    if (request.method === 'HEAD' || isBodiless(decision))
      return withoutBody(visit, part, decision, {})
    await serving.serve(visit, { ...part, permit: permitOf(target) }, {})
  }

  return { answer, answerSigned }
}
