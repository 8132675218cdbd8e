// Addresses of pages where people look at a shared file. Such a page is not the file: where the
// host has a direct address, that one is fetched.
import { say, type Text } from './texts.ts'

const DROPBOX = /(^|\.)dropbox\.com$/
const GITHUB = 'github.com'

/** The hosts whose pages need a sign-in or a script before they give the file, with their names. */
const PAGE_HOSTS: readonly (readonly [RegExp, string])[] = [
  [/^(drive|docs)\.google\.com$/, 'Google Drive'],
  [DROPBOX, 'Dropbox'],
  [/^(1drv\.ms|onedrive\.live\.com)$/, 'OneDrive'],
  [/\.sharepoint\.com$/, 'SharePoint'],
  [/(^|\.)box\.com$/, 'Box'],
  [/^(we\.tl|(.+\.)?wetransfer\.com)$/, 'WeTransfer'],
  [/^(www\.)?icloud\.com$/, 'iCloud'],
  [/(^|\.)mediafire\.com$/, 'MediaFire'],
  [/^mega\.(nz|io)$/, 'MEGA'],
]
const CONNECTED = new Set(['Google Drive', 'Dropbox', 'OneDrive', 'SharePoint'])

/** The name of the address's host if it shows pages for shared files; null: it does not. */
export function shareHostOf(url: string): string | null {
  const host = URL.parse(url)?.hostname ?? ''
  return PAGE_HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? null
}

/**
 * The address of the file itself, if it can be told from that of its page; otherwise the address as
 * it is. Dropbox: `dl=1` instead of `dl=0`. GitHub: `/raw/` instead of `/blob/`.
 */
export function directAddress(address: string): string {
  const url = URL.parse(address)
  if (!url) return address
  if (DROPBOX.test(url.hostname) && /^\/(s|scl|sh)\//.test(url.pathname)) {
    url.searchParams.set('dl', '1')
    return url.href
  }
  const blob = /^(\/[^/]+\/[^/]+)\/blob(\/.+)$/.exec(url.pathname)
  if (url.hostname === GITHUB && blob) {
    url.pathname = `${blob[1]}/raw${blob[2]}`
    return url.href
  }
  return address
}

/** What a merchant can do about a web page at this address. */
export function pageAdvice(url: string | null): Text {
  const host = url === null ? null : shareHostOf(url)
  if (host !== null && CONNECTED.has(host))
    return say(
      'Connect the folder under Import, Cloud connections ({host}), or use an address that downloads the file itself',
      { host },
    )
  if (host !== null) return say('Use an address of {host} that downloads the file itself', { host })
  return say('Use an address that downloads the file itself: this one may need a sign-in')
}
