// Which sites may lead to a file. Whoever comes from none is let in: mail programs, address bars and careful browsers send no
// Referer, and one that wishes could forge it. So this keeps other sites from passing a file off as their own; it locks nothing.

/**
 * The names under which the site of a Referer may be listed: its host, and every `*.` above it. Null where there is no
 * Referer, or it names no site: that of an app does not.
 */
export function sitesOf(referer: string | undefined): readonly string[] | null {
  if (!referer) return null
  const url = URL.parse(referer)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return null
  const labels = url.hostname.replace(/\.$/, '').split('.')
  return [labels.join('.'), ...labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`)]
}

/** As the statements of the hot path have it. `allowed`: empty for any site. */
export const isSiteAllowed = (allowed: readonly string[], sites: readonly string[] | null): boolean =>
  allowed.length === 0 || sites === null || sites.some((site) => allowed.includes(site))

/** For a statement: a list of lists must be rectangular, and these are not. No host has a space. */
export const joinSites = (sites: readonly string[] | null): string | null => sites && sites.join(' ')
