// The address of a storage location, as an operator writes it: `disk:/path` or
// `s3://bucket/prefix?endpoint=…&region=…&path_style=1`.

export interface DiskLocation {
  kind: 'disk'
  folder: string
}

export interface S3Location {
  kind: 's3'
  bucket: string
  /** The beginning of all keys: empty, or with a slash at the end. */
  prefix: string
  region: string
  /** The address of the provider; null: Amazon's own for the region. */
  endpoint: string | null
  /** The bucket is the first part of the path rather than of the host name. */
  pathStyle: boolean
  /**
   * The keys; null: the library finds them in the environment, the profile or the machine's role.
   */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

export type LocationConfig = DiskLocation | S3Location

const FORMS = 'set disk:/absolute/path or s3://bucket/prefix?endpoint=https://…&region=…'
const PARAMETERS = ['endpoint', 'region', 'path_style']
/** Characters that need no escaping in any place. */
const PREFIX = /^[\w.-]+(\/[\w.-]+)*$/
/** The region for providers other than Amazon, which ignore it. */
const ANY_REGION = 'us-east-1'

/** The location, or what is wrong with the address and what to write instead. */
export function parseLocation(
  text: string,
  credentials: S3Location['credentials'],
  defaultRegion: string | undefined,
): LocationConfig | string {
  if (text.startsWith('disk:')) {
    const folder = text.slice('disk:'.length)
    return folder.startsWith('/')
      ? { kind: 'disk', folder: folder.replace(/(?<=.)\/+$/, '') }
      : FORMS
  }
  const url = URL.parse(text)
  if (url?.protocol !== 's3:') return FORMS
  if (url.username || url.password)
    return 'leave the keys out of the address: they go into S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    return `there is no ${unknown}: use ${PARAMETERS.join(', ')} or none of them`
  if (!/^[A-Za-z0-9][\w.-]{1,61}[A-Za-z0-9]$/.test(url.host))
    return `${FORMS}: a bucket has 3 to 63 characters`
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  if (prefix !== '' && !PREFIX.test(prefix)) return 'set the prefix in letters, digits and . _ - /'
  const endpoint = url.searchParams.get('endpoint')
  const wrong = endpoint === null ? null : endpointProblem(endpoint)
  if (wrong) return wrong
  const pathStyle = url.searchParams.get('path_style') ?? '0'
  if (pathStyle !== '0' && pathStyle !== '1') return 'path_style: set 1 or 0'
  const region =
    url.searchParams.get('region') ?? defaultRegion ?? (endpoint === null ? undefined : ANY_REGION)
  if (!region) return 'set the region of the bucket: s3://bucket?region=eu-central-1'
  return {
    kind: 's3',
    bucket: url.host,
    prefix: prefix && `${prefix}/`,
    region,
    endpoint,
    credentials,
    pathStyle: pathStyle === '1',
  }
}

function endpointProblem(text: string): string | null {
  const url = URL.parse(text)
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username ||
    url.password ||
    url.search ||
    url.hash
  )
    return 'endpoint: set the address of the service, like https://s3.example.com'
  return null
}

/** Do both store their bytes in the same place, so that neither is a backup of the other? */
export function isSamePlace(one: LocationConfig, other: LocationConfig): boolean {
  if (one.kind === 'disk') return other.kind === 'disk' && one.folder === other.folder
  return (
    other.kind === 's3' &&
    one.bucket === other.bucket &&
    one.prefix === other.prefix &&
    one.endpoint === other.endpoint
  )
}
