// Amazon S3 and services with its protocol: an access key, and a bucket with a prefix.
import { addressTargetOf, serviceRules } from '../../../ports/addresses.ts'
import { field, folderRule, joined, textRule, type Provider, type Values } from './provider.ts'
import { present } from '../../../core/lazy.ts'

const PRESETS = [
  { id: 'aws', title: 'Amazon S3', rclone: 'AWS', endpoint: null },
  {
    id: 'r2',
    title: 'Cloudflare R2',
    rclone: 'Cloudflare',
    endpoint: 'https://ACCOUNT.r2.cloudflarestorage.com',
  },
  { id: 'wasabi', title: 'Wasabi', rclone: 'Wasabi', endpoint: 'https://s3.REGION.wasabisys.com' },
  {
    id: 'spaces',
    title: 'DigitalOcean Spaces',
    rclone: 'DigitalOcean',
    endpoint: 'https://REGION.digitaloceanspaces.com',
  },
  { id: 'minio', title: 'MinIO', rclone: 'Minio', endpoint: 'https://minio.example.com' },
  {
    id: 'b2',
    title: 'Backblaze B2',
    rclone: 'Other',
    endpoint: 'https://s3.REGION.backblazeb2.com',
  },
  {
    id: 'other',
    title: 'Another S3-compatible service',
    rclone: 'Other',
    endpoint: 'https://s3.example.com',
  },
] as const

const presetOf = ({ preset, endpoint }: Values) =>
  present(
    PRESETS.find(({ id }) => id === (preset || (endpoint ? 'other' : 'aws'))),
    `The preset ${preset}`,
  )

export const s3: Provider = {
  id: 's3',
  title: 'Amazon S3 and compatible',
  signIn: 'keys',
  keyed: true,
  // The ETag of an object with an encryption key of KMS has the form of an MD5.
  doubtfulHashes: true,
  presets: PRESETS.map(({ id, title, endpoint }) => ({ id, title, endpoint })),
  fields: [
    field(
      'preset',
      'Service',
      'Which service it is. Absent: Amazon S3, or another one where there is an endpoint.',
      {
        rule: textRule(
          new RegExp(`^(${PRESETS.map(({ id }) => id).join('|')})?$`),
          `Choose one of ${PRESETS.map(({ id }) => id).join(', ')}`,
        ),
      },
    ),
    field('endpoint', 'Endpoint', 'The service’s https address. Leave it empty for Amazon S3.'),
    field('region', 'Region', 'Like eu-central-1. Leave it empty where the service has none.', {
      rule: textRule(/^[a-z0-9-]*$/i, 'Enter a region, like eu-central-1', 60),
    }),
    field('bucket', 'Bucket', 'Its name, without s3:// and without a folder.', {
      required: true,
      rule: textRule(
        /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i,
        'Enter the name of a bucket, like my-files',
      ),
    }),
    field('prefix', 'Prefix', 'Only objects whose keys begin with this folder, like manuals/.', {
      rule: folderRule,
    }),
    field('access_key', 'Access key', 'Of a user who may list and read this bucket.', {
      required: true,
      rule: textRule(/^[\x21-\x7e]*$/, 'An access key has no spaces', 256),
    }),
    field('secret_key', 'Secret key', 'It is stored encrypted and not shown again.', {
      required: true,
      secret: true,
      rule: textRule(/^[\x21-\x7e]*$/, 'A secret key has no spaces', 256),
    }),
  ],
  nameOf: (settings) => `${presetOf(settings).title}: ${joined(settings.bucket, settings.prefix)}`,
  problem: ({ settings, place: { allowLoopback } }) => {
    const { endpoint = '' } = settings
    const message = endpointProblem(endpoint, allowLoopback)
    if (message) return { param: 'endpoint', message }
    if (endpoint === '' && presetOf(settings).id !== 'aws')
      return { param: 'endpoint', message: 'This service needs its endpoint' }
    return null
  },
  remote: ({ settings, settings: { endpoint = '' }, secrets }) => ({
    settings: {
      TYPE: 's3',
      PROVIDER: presetOf(settings).rclone,
      ENV_AUTH: 'false',
      ACCESS_KEY_ID: settings.access_key ?? '',
      SECRET_ACCESS_KEY: secrets.secret_key ?? '',
      ENDPOINT: isForwarded(settings) ? endpoint.replace(/^https:/i, 'http:') : endpoint,
      REGION: settings.region ?? '',
      FORCE_PATH_STYLE: ['minio', 'other'].includes(presetOf(settings).id) ? 'true' : 'false',
      NO_CHECK_BUCKET: 'true',
    },
    root: joined(settings.bucket, settings.prefix),
    hash: 'md5',
    doubtfulHash: true,
    // Times from the listing: those in the metadata need one request for each object.
    // rclone repeats a request here twice as often as elsewhere, and sends two for a listing.
    listing: [
      '--use-server-modtime',
      '--fast-list',
      '--low-level-retries',
      '1',
      '--timeout',
      '20s',
    ],
    // Paths are known to exist, so one request for each object is enough.
    fetching: { NO_HEAD_OBJECT: 'true' },
    forwarded: isForwarded(settings),
    ...(isLocal(endpoint) ? { local: endpoint } : {}),
  }),
}

/** Go does not use a proxy for loopback addresses. */
const isForwarded = ({ endpoint = '' }: Values): boolean =>
  /^https:/i.test(endpoint) && !isLocal(endpoint)

/** An address of this machine. */
export const isLocal = (endpoint: string): boolean => {
  const host = URL.parse(endpoint)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)
}

/** The problem of an endpoint for rclone, or null. */
export function endpointProblem(endpoint: string, allowLoopback: boolean): string | null {
  if (endpoint === '') return null
  const url = URL.parse(endpoint)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    return 'Enter an https address, like https://s3.example.com'
  if (url.search || url.hash || url.username || url.password)
    return 'An endpoint has no user name, query or fragment'
  const local = isLocal(endpoint)
  if (local && !allowLoopback) return 'This address cannot be used'
  if (!local && url.protocol === 'http:')
    return 'Enter an https address: keys would be sent unencrypted over http'
  try {
    addressTargetOf(url.href, serviceRules(allowLoopback, Number(url.port)))
    return null
  } catch {
    return 'This address cannot be used'
  }
}
