// One fetch over several addresses: where a redirect leads, and the cookies that some servers set
// before they serve a file.
import type { IncomingHttpHeaders } from 'node:http'
import { firstOf } from '../core/lazy.ts'

const MAX_COOKIES = 30
const MAX_COOKIE_BYTES = 4096

/**
 * The address that a Location names; null: none. Servers send other characters than ASCII as raw
 * bytes, mostly of UTF-8, which arrive as one character for each byte.
 */
export function redirectTarget(location: string | undefined, base: string): URL | null {
  if (!location) return null
  const bytes = Buffer.from(location, 'latin1')
  // Characters above U+00FF show that the header was decoded already.
  const isRaw = bytes.toString('latin1') === location
  return URL.parse(isRaw ? decodeBytes(bytes) : location, base)
}

function decodeBytes(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

/** The cookies of one fetch. Each is sent to the host that set it, and to no other. */
export class FetchCookies {
  readonly #hosts = new Map<string, Map<string, string>>()

  keep(url: URL, headers: IncomingHttpHeaders): void {
    const cookies = this.#hosts.get(placeOf(url)) ?? new Map<string, string>()
    this.#hosts.set(placeOf(url), cookies)
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const pair = firstOf(line.split(';')).trim()
      const [name = ''] = pair.split('=', 1)
      if (name !== '' && pair.length <= MAX_COOKIE_BYTES && cookies.size < MAX_COOKIES)
        cookies.set(name, pair)
    }
  }

  /** @param given those that the caller sends in any case */
  headers(url: URL, given?: string): Record<string, string> {
    const kept = this.#hosts.get(placeOf(url))?.values() ?? []
    const cookies = [...(given === undefined ? [] : [given]), ...kept]
    return cookies.length === 0 ? {} : { cookie: cookies.join('; ') }
  }
}

/** A cookie that was set over TLS is not sent without it. */
const placeOf = (url: URL): string => url.origin
