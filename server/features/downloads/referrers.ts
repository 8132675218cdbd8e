// Which sites may link to a file. A request without a Referer is allowed: mail programs, address
// bars and some browsers send none, and any client can forge it. This stops other sites from
// embedding a file as their own; it is not access control. Mail that is read in a browser leads to its
// links with a Referer, and no merchant can list all providers of buyers: it counts as none.

/** `mail.google.com`, `outlook.live.com`, `webmail.example.edu` … */
const MAIL_HOST = /^(?:mail|webmail|email|outlook|owa|roundcube)\./
/** Providers whose hosts have other names, and the addresses through which filters lead. */
const MAIL_SITE =
  /(?:^|\.)(?:safelinks\.protection\.outlook\.com|linkprotect\.cudasvc\.com|urldefense\.(?:com|proofpoint\.com)|icloud\.com|fastmail\.com|gmx\.net|web\.de|deref-(?:gmx\.net|web\.de))$/

/**
 * The names under which a Referer's site may be listed: its host, and `*.` with each parent domain.
 * The result is null without a Referer, or if it is that of an app or of a mailbox.
 */
export function sitesOf(referer: string | undefined): readonly string[] | null {
  if (!referer) return null
  const url = URL.parse(referer)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return null
  if (MAIL_HOST.test(url.hostname) || MAIL_SITE.test(url.hostname)) return null
  const labels = url.hostname.replace(/\.$/, '').split('.')
  return [
    labels.join('.'),
    ...labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`),
  ]
}

/** The same rule as `siteAllowed` (targets.ts). `allowed`: empty for any site. */
export const isSiteAllowed = (
  allowed: readonly string[],
  sites: readonly string[] | null,
): boolean => allowed.length === 0 || sites === null || sites.some((site) => allowed.includes(site))
