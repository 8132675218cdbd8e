// Addresses of pages where people look at a shared file. Such a page is not the file: where the
// host has a direct address, that one is fetched.
import { say, type Text } from './text.ts'

const DROPBOX = /(^|\.)dropbox\.com$/
const GITHUB = 'github.com'

/** The hosts whose pages need a sign-in or a script before they give the file, with their names. */
const PAGE_HOSTS: readonly (readonly [RegExp, string])[] = [
  [/^((drive|docs)\.google|drive\.usercontent\.google)\.com$/, 'Google Drive'],
  [DROPBOX, 'Dropbox'],
  [/^(1drv\.ms|onedrive\.live\.com)$/, 'OneDrive'],
  [/\.sharepoint\.com$/, 'SharePoint'],
  [/(^|\.)box\.com$/, 'Box'],
  [/^(we\.tl|(.+\.)?wetransfer\.com)$/, 'WeTransfer'],
  [/^(www\.)?icloud\.com$/, 'iCloud'],
  [/(^|\.)mediafire\.com$/, 'MediaFire'],
  [/^mega\.(nz|io)$/, 'MEGA'],
]
const CONNECTED = new Set(['OneDrive'])
/** Their links lead to the file itself, see `directAddress`, unless it is private or a folder. */
const SHARED_BY_LINK = new Set(['Google Drive', 'Dropbox', 'SharePoint'])

/** The name of the address's host if it shows pages for shared files; null: it does not. */
function shareHostOf(url: string): string | null {
  const host = URL.parse(url)?.hostname ?? ''
  return PAGE_HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? null
}

const GOOGLE_DOWNLOAD = 'https://drive.usercontent.google.com/download'

/** Each returns the address of the file itself, or null. The first that knows the page counts. */
const DIRECT: readonly ((url: URL) => string | null)[] = [
  fromDropbox,
  fromGoogleDrive,
  fromSharePoint,
  fromSourcePage,
]

/**
 * The address of the file itself, if it can be told from that of its page; otherwise the address as
 * it is. It works for files that anyone with the link may open.
 */
export function directAddress(written: string): string {
  // Exports and feeds write addresses as HTML does.
  const address = written.replaceAll('&amp;', '&')
  const url = URL.parse(address)
  if (!url) return address
  for (const direct of DIRECT) {
    const found = direct(url)
    if (found !== null) return found
  }
  return address
}

/** `dl=1` instead of `dl=0`. */
function fromDropbox(url: URL): string | null {
  if (!DROPBOX.test(url.hostname) || !/^\/(s|scl|sh)\//.test(url.pathname)) return null
  return withFlag(url, 'dl')
}

/**
 * `confirm=t` skips the page that asks about files that are too large to be scanned for viruses.
 * Old links have a resource key too.
 */
function fromGoogleDrive(url: URL): string | null {
  if (!/^(drive|docs)\.google\.com$/.test(url.hostname)) return null
  const [, inPath] = /^\/(?:a\/[^/]+\/)?file\/(?:u\/\d+\/)?d\/([\w-]{10,})/.exec(url.pathname) ?? []
  const named = /^\/(?:u\/\d+\/)?(?:uc|open)$/.test(url.pathname)
    ? url.searchParams.get('id')
    : null
  const id = inPath ?? named
  if (id === null) return null
  const direct = new URL(GOOGLE_DOWNLOAD)
  const key = url.searchParams.get('resourcekey')
  const parameters = { id, export: 'download', confirm: 't', ...(key ? { resourcekey: key } : {}) }
  for (const [name, value] of Object.entries(parameters)) direct.searchParams.set(name, value)
  return direct.href
}

/** Links to one file: `/:b:/g/personal/…`; `:f:` are folders, which have no download. */
function fromSharePoint(url: URL): string | null {
  if (!url.hostname.endsWith('.sharepoint.com') || !/^\/:[a-eg-z]:\//.test(url.pathname))
    return null
  return withFlag(url, 'download')
}

/** `/raw/` instead of `/blob/`, on GitHub and on any GitLab. */
function fromSourcePage(url: URL): string | null {
  const [, project, rest] =
    url.hostname === GITHUB
      ? (/^(\/[^/]+\/[^/]+)\/blob(\/.+)$/.exec(url.pathname) ?? [])
      : (/^(\/.+\/-)\/blob(\/.+)$/.exec(url.pathname) ?? [])
  if (project === undefined) return null
  const direct = new URL(url)
  direct.pathname = `${project}/raw${rest}`
  return direct.href
}

function withFlag(url: URL, name: string): string {
  const direct = new URL(url)
  direct.searchParams.set(name, '1')
  return direct.href
}

/** Documents, tables and slides of Google are no files: their pages give one in a format of choice. */
const EDITOR = /^\/(?:a\/[^/]+\/)?(?:document|spreadsheets|presentation|drawings)\/(?:u\/\d+\/)?d\//

/** The page of a shared file or folder, on any host. */
const NEXTCLOUD = /^\/(?:[\w.-]+\/)*s\/[A-Za-z0-9]{15}\/?$/

const isEditor = (url: string): boolean => {
  const { hostname = '', pathname = '' } = URL.parse(url) ?? {}
  return hostname === 'docs.google.com' && EDITOR.test(pathname)
}

const PAGE_TYPE = /^(text\/html|application\/xhtml\+xml)\b/i

/** Does a server call its bytes a web page? Scripts do so for any file, as it is PHP's default. */
export const isPageType = (claimed: string | null | undefined): boolean =>
  PAGE_TYPE.test(claimed ?? '')

/** What a merchant can do about a web page at this address. */
export function pageAdvice(url: string | null): Text {
  if (url !== null && isEditor(url))
    return say(
      'A document of Google is no file: download it there as PDF, or end its address with /export?format=pdf instead of /edit',
    )
  const host = url === null ? null : shareHostOf(url)
  if (host !== null && SHARED_BY_LINK.has(host))
    return say(
      'Share it with anyone who has the link, or connect the folder under Import, Cloud connections ({host})',
      { host },
    )
  if (host !== null && CONNECTED.has(host))
    return say(
      'Connect the folder under Import, Cloud connections ({host}), or use an address that downloads the file itself',
      { host },
    )
  if (url !== null && NEXTCLOUD.test(URL.parse(url)?.pathname ?? ''))
    return say('If it is a share link of Nextcloud or ownCloud, end its address with /download')
  if (host !== null) return say('Use an address of {host} that downloads the file itself', { host })
  return say('Use an address that downloads the file itself: this one may need a sign-in')
}
