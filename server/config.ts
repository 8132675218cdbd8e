// The configuration of an installation, and its check at the start: an unknown plugin, a missing
// option or a duplicate id is refused when the server starts, not when it is first used.
import path from 'node:path'
import { z } from 'zod'
import { actionsOf, type Plugin, type Workflow } from '../plugins/contract.ts'
import { planProblems, type PartnerAccess, type Plans } from './plan-list.ts'
import { isSamePlace, parseLocation, type LocationConfig } from './store/address.ts'
import { channelProblems, type Channel } from './workflows/channel.ts'
import { workflowProblems } from './workflows/problems.ts'

export interface TwilioAccount {
  accountSid: string
  authToken: string
  /** A number (E.164), or a messaging service (`MG…`). */
  from: string
  /** Without a trailing slash. */
  apiUrl: string
}

const ROLES = ['web', 'worker', 'drop'] as const
export type Role = (typeof ROLES)[number]

export interface Limits {
  /** The most bytes of a JSON body. */
  body_bytes: number
  entries_per_import: number
  reads_per_minute: number
  writes_per_minute: number
  /** The limit of all API keys of a shop together, in addition to each key's own limit. */
  shop_reads_per_minute: number
  shop_writes_per_minute: number
  /** Limits of one shop: files, trash excluded, and the bytes of all kept versions. */
  shop_files: number
  shop_storage_bytes: number
  /** Unfinished uploads, and the bytes that they announced or that wait to be imported. */
  shop_open_uploads: number
  shop_upload_bytes: number
  /** Operations that are waiting, running or paused, and unconfirmed previews. */
  shop_waiting_operations: number
  /** Requests with a wrong key or token, from one address. */
  failed_sign_ins_per_minute: number
  /** The most bytes that one file may have. */
  file_bytes: number
  /** The most bytes of all files together that wait in a shop's drop folders. */
  drop_waiting_bytes: number
  /** A file with more bytes is imported with a warning. */
  large_file_bytes: number
  /** Above this many files, a deletion or another change runs in the background. */
  background_delete: number
  background_update: number
  /** An import of this many files is reported by text message, if the shop wants that. */
  sms_files: number
  ids_per_call: number
  /** How long the caller of an import waits for its end before the answer 202. */
  wait_seconds: number
  /**
   * Concurrent batches in one worker that use bytes or external systems; one shop gets at most half
   * of them.
   */
  jobs_at_once: number
}

/** How merchants reach the drop server. */
export interface DropAddress {
  host: string
  sftpPort: number
  ftpPort: number
}

/** The storage locations, by their names. */
export interface Storage {
  primary: LocationConfig
  backup: LocationConfig
}

export interface Config {
  environment: Environment
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
  /** How operations can be started, with their titles. */
  channels: readonly Channel[]
  storage: Storage
  limits: Limits
  /** The plans that shops pay for. Null: nothing requires a plan. */
  plans: Plans | null
}

export const DEFAULT_LIMITS: Limits = {
  body_bytes: 5 * 1024 ** 2,
  entries_per_import: 1000,
  reads_per_minute: 600,
  writes_per_minute: 120,
  shop_reads_per_minute: 1800,
  shop_writes_per_minute: 360,
  shop_files: 1_000_000,
  shop_storage_bytes: 5 * 1024 ** 4,
  shop_open_uploads: 10_000,
  shop_upload_bytes: 1024 ** 4,
  shop_waiting_operations: 1000,
  failed_sign_ins_per_minute: 30,
  file_bytes: 5 * 1024 ** 3,
  drop_waiting_bytes: 100 * 1024 ** 3,
  large_file_bytes: 500 * 1024 ** 2,
  background_delete: 100,
  background_update: 500,
  sms_files: 1000,
  ids_per_call: 10_000,
  wait_seconds: 30,
  jobs_at_once: 8,
}

/** Missing or wrong settings. Every problem is named, with what to write instead. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `The configuration is not complete:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.name = 'ConfigError'
  }
}

const blank = (value: unknown) => (value === '' ? undefined : value)
const setting = <T extends z.ZodType>(schema: T) => z.preprocess(blank, schema)
const flag = setting(z.enum(['0', '1'], 'write 1 or 0').default('0')).transform(
  (value) => value === '1',
)

const port = (usual: string) =>
  setting(
    z
      .string()
      .regex(/^\d{1,5}$/, `write a port number, like ${usual}; 0: any free one`)
      .default(usual)
      .transform(Number)
      .refine((value) => value <= 65_535, 'write a port number up to 65535'),
  )

const environmentSchema = z.object({
  DATA_DIR: setting(z.string().default('./data')),
  PORT: setting(
    z
      .string()
      .regex(/^\d{1,5}$/, 'write a port number, like 3000')
      .default('3000')
      .transform(Number)
      .refine((port) => port > 0 && port <= 65_535, 'write a port number from 1 to 65535'),
  ),
  HOST: setting(z.string().default('127.0.0.1')),
  BASE_URL: setting(
    z
      .url({
        protocol: /^https?$/,
        error: 'write the public address, like https://files.example.com',
      })
      .optional(),
  ),
  DATABASE_URL: setting(
    z
      .url({
        protocol: /^postgres(ql)?$/,
        error: 'write postgres://user:password@host:5432/database',
      })
      .optional(),
  ),
  ROLE: setting(
    z
      .string()
      .default(ROLES.join(','))
      .transform((text) => text.split(',').map((role) => role.trim()))
      .pipe(
        z
          .array(z.enum(ROLES, `write one or more of ${ROLES.join(', ')}, separated by commas`))
          .min(1),
      ),
  ),
  APP_SECRET: setting(
    z.string().min(32, 'write at least 32 random characters (openssl rand -hex 32)').optional(),
  ),
  SHOPIFY_API_KEY: setting(z.string().optional()),
  SHOPIFY_API_SECRET: setting(z.string().optional()),
  SHOPIFY_API_SECRET_PREVIOUS: setting(z.string().optional()),
  SHOPIFY_PARTNER_ORGANIZATION: setting(
    z
      .string()
      .regex(/^\d{1,20}$/, 'write the organization’s number')
      .optional(),
  ),
  SHOPIFY_PARTNER_TOKEN: setting(z.string().min(10, 'write the API client’s token').optional()),
  SHOPIFY_APP_NUMBER: setting(
    z
      .string()
      .regex(/^\d{1,20}$/, 'write the app’s number on the platform')
      .optional(),
  ),
  STORAGE_PRIMARY: setting(z.string().optional()),
  STORAGE_BACKUP: setting(z.string().optional()),
  S3_ACCESS_KEY_ID: setting(z.string().optional()),
  S3_SECRET_ACCESS_KEY: setting(z.string().optional()),
  AWS_REGION: setting(z.string().optional()),
  SMTP_URL: setting(
    z.url({ protocol: /^smtps?$/, error: 'write smtp://user:password@host:587' }).optional(),
  ),
  TWILIO_ACCOUNT_SID: setting(
    z
      .string()
      .regex(/^AC[0-9a-f]{32}$/, 'write the account’s SID: AC and 32 hexadecimal digits')
      .optional(),
  ),
  TWILIO_AUTH_TOKEN: setting(z.string().min(16, 'write the account’s auth token').optional()),
  TWILIO_FROM: setting(
    z
      .string()
      .regex(
        /^(\+[1-9]\d{6,14}|MG[0-9a-f]{32})$/,
        'write a number of yours, like +15005550006, or a messaging service, MG and 32 digits',
      )
      .optional(),
  ),
  TWILIO_API_URL: setting(
    z
      .url({ protocol: /^https?$/, error: 'write an address, like https://api.twilio.com' })
      .default('https://api.twilio.com'),
  ),
  MAIL_FROM: setting(z.string().default('Stevedore <files@localhost>')),
  ALLOW_LOOPBACK: setting(z.enum(['0', '1'], 'write 1 or 0').optional()),
  DEMO_CATALOG: setting(z.string().optional()),
  DEMO_POINTS: setting(
    z
      .string()
      .regex(/^\d+\/\d+$/, 'write bucket size and points restored a second, like 2000/100')
      .default('2000/100'),
  ),
  TRUST_PROXY: flag,
  CDN_BASE_URL: setting(
    z
      .url({ protocol: /^https?$/, error: 'write the CDN’s address, like https://cdn.example.com' })
      .optional(),
  ),
  X_ACCEL_LOCATION: setting(
    z
      .string()
      .regex(/^(\/[\w.~-]+)+\/?$/, 'write nginx’s internal location, like /blobs')
      .optional(),
  ),
  S3_REDIRECT: flag,
  METRICS_TOKEN: setting(
    z.string().min(16, 'write at least 16 random characters (openssl rand -hex 16)').optional(),
  ),
  SFTP_PORT: port('2222'),
  FTP_PORT: port('2121'),
  DROP_HOST: setting(
    z
      .string()
      .regex(/^[\w.:-]+$/, 'write a host name, like ftp.example.com')
      .optional(),
  ),
  FTP_PASSIVE_PORTS: setting(
    z
      .string()
      .regex(/^\d{4,5}-\d{4,5}$/, 'write a range of ports, like 30000-30999')
      .transform((text) => text.split('-').map(Number) as [number, number])
      .refine(
        ([first, last]) => first >= 1024 && first <= last && last <= 65_535,
        'write a range from 1024 to 65535',
      )
      .optional(),
  ),
  FTP_PASSIVE_ADDRESS: setting(
    z.ipv4('write the public IPv4 address, like 203.0.113.7').optional(),
  ),
  DROP_TLS_CERT: setting(z.string().optional()),
  DROP_TLS_KEY: setting(z.string().optional()),
  RCLONE_EXECUTABLE: setting(z.string().optional()),
  CLOUD_GOOGLE_CLIENT_ID: setting(z.string().optional()),
  CLOUD_GOOGLE_CLIENT_SECRET: setting(z.string().optional()),
  CLOUD_DROPBOX_CLIENT_ID: setting(z.string().optional()),
  CLOUD_DROPBOX_CLIENT_SECRET: setting(z.string().optional()),
  CLOUD_MICROSOFT_CLIENT_ID: setting(z.string().optional()),
  CLOUD_MICROSOFT_CLIENT_SECRET: setting(z.string().optional()),
  LOG_LEVEL: setting(
    z.enum(['debug', 'info', 'warn', 'error'], 'write debug, info, warn or error').default('info'),
  ),
  NODE_ENV: setting(z.string().default('development')),
})

export interface DropEnvironment extends DropAddress {
  /** Null: any port. */
  passivePorts: { first: number; last: number } | null
  /** Null: the address to which the client connected. */
  passiveAddress: string | null
  /** PEM files. Null: a certificate is generated. */
  tls: { cert: string; key: string } | null
}

export interface CloudEnvironment {
  /** Absolute. Null: rclone is searched for. */
  rclone: string | null
  /** The operator's apps at providers with a sign-in. */
  clients: Readonly<Record<string, { id: string; secret: string } | undefined>>
}

export interface Environment {
  dataDir: string
  port: number
  host: string
  /** Without a trailing slash. Null: the address on which the server listens. */
  baseUrl: string | null
  /** Null: the embedded server. */
  databaseUrl: string | null
  roles: readonly Role[]
  /** Null: generated in the data folder at the first start. */
  secret: string | null
  /** Null: demo mode, with the built-in demo of the platform. */
  platform: { apiKey: string; apiSecret: string; previousSecret?: string | null } | null
  demo: { catalog: string | null; bucket: number; restore: number }
  storage: Storage
  /** For plans with managed pricing. */
  partner: PartnerAccess | null
  smtpUrl: string | null
  mailFrom: string
  /** Null: text messages are stored in the list, and none is sent. */
  twilio: TwilioAccount | null
  allowLoopback: boolean
  trustProxy: boolean
  /** Without a trailing slash. Null: no CDN. */
  cdnBaseUrl: string | null
  /**
   * nginx’s internal location of the primary folder, without a trailing slash. Null: this server
   * sends every file itself.
   */
  accelLocation: string | null
  /** Large files of a bucket are downloaded from the bucket itself. */
  s3Redirect: boolean
  /**
   * The bearer token that readers of /metrics must send. Null: nobody may read them, except in demo
   * mode.
   */
  metricsToken: string | null
  drop: DropEnvironment
  cloud: CloudEnvironment
  logLevel: 'debug' | 'info' | 'warn' | 'error'
}

/** Reads the environment, once. Throws `ConfigError` with every problem in it. */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): Environment {
  const parsed = environmentSchema.safeParse(variables)
  if (!parsed.success)
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`),
    )
  const env = parsed.data
  const problems: string[] = []
  if (!env.SHOPIFY_API_KEY !== !env.SHOPIFY_API_SECRET)
    problems.push('SHOPIFY_API_KEY and SHOPIFY_API_SECRET: write both, or neither for demo mode')
  const demo = !env.SHOPIFY_API_KEY
  if (demo && env.NODE_ENV === 'production')
    problems.push(
      'SHOPIFY_API_KEY and SHOPIFY_API_SECRET: write both: demo mode is refused when NODE_ENV=production',
    )
  if (demo && !['127.0.0.1', 'localhost', '::1'].includes(env.HOST))
    problems.push(
      'HOST: demo mode listens on 127.0.0.1 alone; leave HOST out, or write the platform credentials',
    )
  if (!demo && !env.BASE_URL)
    problems.push('BASE_URL: write the public address of the app, like https://files.example.com')
  if (!demo && env.BASE_URL && !/^https:/i.test(env.BASE_URL))
    problems.push(
      'BASE_URL: write an https address: keys, tokens and download links would be sent unencrypted over http',
    )
  if (env.DATABASE_URL && !env.APP_SECRET)
    problems.push(
      'APP_SECRET: write it when DATABASE_URL is set, the same on every machine (openssl rand -hex 32)',
    )
  const twilio = [env.TWILIO_ACCOUNT_SID, env.TWILIO_AUTH_TOKEN, env.TWILIO_FROM]
  if (twilio.some(Boolean) && !twilio.every(Boolean))
    problems.push(
      'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM: write all three, or none: then no text message leaves',
    )
  if (!env.DROP_TLS_CERT !== !env.DROP_TLS_KEY)
    problems.push(
      'DROP_TLS_CERT and DROP_TLS_KEY: write both, or neither for a certificate that is made',
    )
  const partner = [
    env.SHOPIFY_PARTNER_ORGANIZATION,
    env.SHOPIFY_PARTNER_TOKEN,
    env.SHOPIFY_APP_NUMBER,
  ]
  if (partner.some(Boolean) && !partner.every(Boolean))
    problems.push(
      'SHOPIFY_PARTNER_ORGANIZATION, SHOPIFY_PARTNER_TOKEN and SHOPIFY_APP_NUMBER: write all three, or none',
    )
  const dataDir = path.resolve(env.DATA_DIR)
  const storage = readStorage(env, dataDir, problems)
  if (env.X_ACCEL_LOCATION && storage.primary.kind !== 'disk')
    problems.push(
      'X_ACCEL_LOCATION: leave it out: nginx can send files of a disk alone, and STORAGE_PRIMARY is none',
    )
  const clients = readClients(env, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const [bucket, restore] = env.DEMO_POINTS.split('/').map(Number) as [number, number]
  return {
    dataDir,
    port: env.PORT,
    host: env.HOST,
    baseUrl: env.BASE_URL?.replace(/\/+$/, '') ?? null,
    databaseUrl: env.DATABASE_URL ?? null,
    roles: env.ROLE,
    secret: env.APP_SECRET ?? null,
    platform: demo
      ? null
      : {
          apiKey: env.SHOPIFY_API_KEY!,
          apiSecret: env.SHOPIFY_API_SECRET!,
          previousSecret: env.SHOPIFY_API_SECRET_PREVIOUS ?? null,
        },
    partner: partnerOf(env),
    demo: { catalog: env.DEMO_CATALOG ? path.resolve(env.DEMO_CATALOG) : null, bucket, restore },
    storage,
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM,
    twilio: twilioOf(env),
    allowLoopback: env.ALLOW_LOOPBACK === undefined ? demo : env.ALLOW_LOOPBACK === '1',
    trustProxy: env.TRUST_PROXY,
    cdnBaseUrl: env.CDN_BASE_URL?.replace(/\/+$/, '') ?? null,
    accelLocation: env.X_ACCEL_LOCATION?.replace(/\/$/, '') ?? null,
    s3Redirect: env.S3_REDIRECT,
    metricsToken: env.METRICS_TOKEN ?? null,
    drop: dropOf(env),
    cloud: {
      rclone: env.RCLONE_EXECUTABLE ? path.resolve(env.RCLONE_EXECUTABLE) : null,
      clients,
    },
    logLevel: env.LOG_LEVEL,
  }
}

function partnerOf(env: z.output<typeof environmentSchema>): PartnerAccess | null {
  const { SHOPIFY_PARTNER_ORGANIZATION: organization, SHOPIFY_PARTNER_TOKEN: token } = env
  const app = env.SHOPIFY_APP_NUMBER
  return organization && token && app ? { organization, token, app } : null
}

function twilioOf(env: z.output<typeof environmentSchema>): TwilioAccount | null {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from } = env
  if (!accountSid || !authToken || !from) return null
  return { accountSid, authToken, from, apiUrl: env.TWILIO_API_URL.replace(/\/+$/, '') }
}

const CLIENTS = ['GOOGLE', 'DROPBOX', 'MICROSOFT'] as const

function readClients(
  env: z.output<typeof environmentSchema>,
  problems: string[],
): CloudEnvironment['clients'] {
  const clients = CLIENTS.map((name) => {
    const [id, secret] = [env[`CLOUD_${name}_CLIENT_ID`], env[`CLOUD_${name}_CLIENT_SECRET`]]
    if (!id !== !secret)
      problems.push(
        `CLOUD_${name}_CLIENT_ID and CLOUD_${name}_CLIENT_SECRET: write both, or neither`,
      )
    return [name, id && secret ? { id, secret } : undefined] as const
  })
  return Object.fromEntries(clients)
}

function dropOf(env: z.output<typeof environmentSchema>): DropEnvironment {
  const { FTP_PASSIVE_PORTS: ports, DROP_TLS_CERT: cert, DROP_TLS_KEY: key } = env
  return {
    host: env.DROP_HOST ?? (env.BASE_URL ? new URL(env.BASE_URL).hostname : env.HOST),
    ...{ sftpPort: env.SFTP_PORT, ftpPort: env.FTP_PORT },
    passivePorts: ports ? { first: ports[0], last: ports[1] } : null,
    passiveAddress: env.FTP_PASSIVE_ADDRESS ?? null,
    tls: cert && key ? { cert: path.resolve(cert), key: path.resolve(key) } : null,
  }
}

/** Without a setting, locations are folders in the data folder. Adds problems to `problems`. */
function readStorage(
  env: z.output<typeof environmentSchema>,
  dataDir: string,
  problems: string[],
): Storage {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId !== !secretAccessKey)
    problems.push(
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: write both, or neither where the machine has a role',
    )
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
  const read = (name: 'STORAGE_PRIMARY' | 'STORAGE_BACKUP', folder: string): LocationConfig => {
    const usual: LocationConfig = { kind: 'disk', folder: path.join(dataDir, folder) }
    const written = env[name]
    const location =
      written === undefined ? usual : parseLocation(written, credentials, env.AWS_REGION)
    if (typeof location !== 'string') return location
    problems.push(`${name}: ${location}`)
    return usual
  }
  const storage = {
    primary: read('STORAGE_PRIMARY', 'files'),
    backup: read('STORAGE_BACKUP', 'backup'),
  }
  if (isSamePlace(storage.primary, storage.backup))
    problems.push(
      'STORAGE_BACKUP: write another place than STORAGE_PRIMARY: in the same one it is no backup',
    )
  return storage
}

/** Fills in the defaults and checks that everything that is named exists. Throws `ConfigError`. */
export function defineConfig(
  config: Omit<Config, 'limits' | 'channels' | 'plans'> & {
    limits?: Partial<Limits>
    channels?: readonly Channel[]
    plans?: Plans | null
  },
): Config {
  const workflows = [...config.workflows, ...impliedActions(config.plugins, config.workflows)]
  const { channels = [], limits, plans = null } = config
  const allLimits = { ...DEFAULT_LIMITS, ...limits }
  const whole: Config = { ...config, workflows, channels, plans, limits: allLimits }
  const problems = [
    ...duplicateIds('plugin', whole.plugins),
    ...duplicateIds('workflow', whole.workflows),
    ...duplicateIds('channel', whole.channels),
    ...channelProblems(whole.channels, whole.workflows),
    ...whole.workflows.flatMap((workflow) =>
      workflowProblems(workflow, whole.plugins, workflow.action).map(
        ({ param, message }) =>
          `workflow ${workflow.id}: ${param}: ${message[0]!.toLowerCase()}${message.slice(1)}`,
      ),
    ),
    ...(plans ? planProblems(plans) : []),
    ...Object.entries(whole.limits)
      .filter(([, value]) => !(Number.isFinite(value) && value > 0))
      .map(([name]) => `limits.${name}: write a number above 0`),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return whole
}

/**
 * The workflows of actions: each plugin with an entry in a menu is an action under its own id, and
 * gets this workflow unless there is one of that id.
 */
function impliedActions(plugins: readonly Plugin[], workflows: readonly Workflow[]): Workflow[] {
  const tells = plugins.some(({ id }) => id === 'notify')
  return plugins
    .filter(({ id }) => !workflows.some((one) => one.id === id))
    .flatMap((plugin) => {
      const [action] = actionsOf(plugin)
      return action ? [impliedBy(plugin, action.labels.action, tells)] : []
    })
}

function impliedBy(plugin: Plugin, title: string, tells: boolean): Workflow {
  const { id, report: { when = 'background' } = {} } = plugin
  const notify = { id: 'notify', plugin: 'notify', options: { when } }
  const inOrder = plugin.scope === 'operation' || plugin.ordered || plugin.sequential
  return {
    ...{ id, title, action: id, kind: 'bulk', parallel: inOrder ? 1 : 2 },
    steps: [{ id: 'act', plugin: id }, ...(tells ? [notify] : [])],
  }
}

function duplicateIds(what: string, list: readonly { id: string }[]): string[] {
  const ids = list.map(({ id }) => id)
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))].map(
    (id) => `${what} ${id} is listed twice`,
  )
}
