// The environment of an installation, read from environment variables.
import path from 'node:path'
import { ConfigError } from '../config-error.ts'
import { readDropSettings, type DropEnvironment } from './drop-settings.ts'
import { environmentProblems, isDemo } from './environment-problems.ts'
import { environmentSchema, type EnvironmentVariables, type Role } from './environment-schema.ts'
import { mailSettingsOf, type MailEnvironment } from './mail-settings.ts'
import type { PartnerAccess } from './plan-list.ts'
import { tracingOf, type TracingSettings } from './tracing-settings.ts'
import { readStorage, type Storage } from './storage-settings.ts'

export interface TwilioAccount {
  accountSid: string
  authToken: string
  /** The sender: a number (E.164), or a messaging service (`MG…`). */
  from: string
  /** The address of Twilio's API, without a trailing slash. */
  apiUrl: string
}

/** Where a ClamAV daemon listens. */
export type ScannerAddress = { path: string } | { host: string; port: number }

export interface CloudEnvironment {
  /** The absolute path of rclone; null: it is searched for. */
  rclone: string | null
  /** The operator's apps at providers with a sign-in. */
  clients: Readonly<Record<string, { id: string; secret: string } | undefined>>
}

export interface Environment {
  dataDir: string
  /**
   * The folder of uploads; null: the bucket of the primary location, or a folder in the data folder.
   */
  uploadDir: string | null
  port: number
  host: string
  /** The app's public address, without a trailing slash; null: the one on which it listens. */
  baseUrl: string | null
  /** The address of the database; null: the embedded server is started. */
  databaseUrl: string | null
  /** The address of the database without the pooler of `databaseUrl`; null: there is no pooler. */
  databaseDirectUrl: string | null
  /** The maximum of connections of a process, of two pools together. */
  connections: number
  /** How long the start waits for a database that cannot be reached. */
  databaseWaitSeconds: number
  roles: readonly Role[]
  /** The server's secret; null: it is generated in the data folder at the first start. */
  secret: string | null
  /** Earlier secrets: what they sealed is opened, and what they signed is valid. */
  previousSecrets: readonly string[]
  /**
   * The app's credentials at the platform; null: demo mode, with the built-in demo of the platform.
   */
  platform: { apiKey: string; apiSecret: string; previousSecret?: string | null } | null
  demo: { catalog: string | null; bucket: number; restore: number }
  storage: Storage
  /** The access to the Partner API, which plans with managed pricing need. */
  partner: PartnerAccess | null
  smtpUrl: string | null
  mailFrom: string
  /** Reports about mails, and the domains of shops. */
  mail: MailEnvironment
  /** The User-Agent of requests to addresses that others chose; null: the usual one. */
  userAgent: string | null
  /** The account for text messages; null: they are stored in the list, and none is sent. */
  twilio: TwilioAccount | null
  allowLoopback: boolean
  trustProxy: boolean
  /** The address of the CDN, without a trailing slash; null: there is none. */
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
  /** Where a process without the web role serves health and metrics. Null: nowhere. */
  monitoringPort: number | null
  /** How long a stopping web process still answers, while it reports that it is not ready. */
  drainSeconds: number
  drop: DropEnvironment
  cloud: CloudEnvironment
  /** The virus scanner; null: there is none. */
  scanner: ScannerAddress | null
  logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Each request is logged. */
  accessLog: boolean
  /** Traces for OpenTelemetry; null: off. */
  tracing: TracingSettings | null
}

/** A database that starts together with this process needs less. */
const PRODUCTION_WAIT_SECONDS = 60

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
  const dataDir = path.resolve(env.DATA_DIR)
  const problems = environmentProblems(env)
  const storage = readStorage(env, dataDir, problems)
  const drop = readDropSettings(env, dataDir, problems)
  const tracing = tracingOf(env, problems)
  if (env.X_ACCEL_LOCATION && storage.primary.kind !== 'disk')
    problems.push(
      'X_ACCEL_LOCATION: leave it out: nginx can only send files from a disk, and STORAGE_PRIMARY is not one',
    )
  const clients = readClients(env, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  return environmentOf(env, { dataDir, storage, drop, tracing, clients })
}

interface ReadSettings extends Pick<Environment, 'dataDir' | 'storage' | 'drop' | 'tracing'> {
  clients: CloudEnvironment['clients']
}

function environmentOf(
  env: EnvironmentVariables,
  { dataDir, storage, drop, tracing, clients }: ReadSettings,
): Environment {
  const demo = isDemo(env)
  const [bucket, restore] = env.DEMO_POINTS.split('/').map(Number) as [number, number]
  return {
    dataDir,
    uploadDir: env.UPLOAD_DIR ? path.resolve(env.UPLOAD_DIR) : null,
    port: env.PORT,
    host: env.HOST,
    baseUrl: env.BASE_URL?.replace(/\/+$/, '') ?? null,
    databaseUrl: env.DATABASE_URL ?? null,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? null,
    connections: env.DATABASE_CONNECTIONS,
    databaseWaitSeconds:
      env.DATABASE_WAIT_SECONDS ?? (env.NODE_ENV === 'production' ? PRODUCTION_WAIT_SECONDS : 0),
    roles: env.ROLE,
    secret: env.APP_SECRET ?? null,
    previousSecrets: env.APP_SECRET_PREVIOUS.filter((secret) => secret !== env.APP_SECRET),
    platform: platformOf(env),
    partner: partnerOf(env),
    demo: { catalog: env.DEMO_CATALOG ? path.resolve(env.DEMO_CATALOG) : null, bucket, restore },
    storage,
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM,
    mail: mailSettingsOf(env),
    userAgent: env.FETCH_USER_AGENT ?? null,
    twilio: twilioOf(env),
    allowLoopback: env.ALLOW_LOOPBACK === undefined ? demo : env.ALLOW_LOOPBACK === '1',
    trustProxy: env.TRUST_PROXY,
    cdnBaseUrl: env.CDN_BASE_URL?.replace(/\/+$/, '') ?? null,
    accelLocation: env.X_ACCEL_LOCATION?.replace(/\/$/, '') ?? null,
    s3Redirect: env.S3_REDIRECT,
    metricsToken: env.METRICS_TOKEN ?? null,
    monitoringPort: env.MONITORING_PORT ?? null,
    drainSeconds: env.DRAIN_SECONDS,
    drop,
    cloud: {
      rclone: env.RCLONE_EXECUTABLE ? path.resolve(env.RCLONE_EXECUTABLE) : null,
      clients,
    },
    scanner: env.CLAMD_HOST ?? null,
    // At a terminal the addresses of the start come first, not lines of the log.
    logLevel: env.LOG_LEVEL ?? (process.stderr.isTTY ? 'warn' : 'info'),
    accessLog: env.ACCESS_LOG,
    tracing,
  }
}

function platformOf(env: EnvironmentVariables): Environment['platform'] {
  const { SHOPIFY_API_KEY: apiKey, SHOPIFY_API_SECRET: apiSecret } = env
  const previousSecret = env.SHOPIFY_API_SECRET_PREVIOUS ?? null
  return apiKey && apiSecret ? { apiKey, apiSecret, previousSecret } : null
}

function partnerOf(env: EnvironmentVariables): PartnerAccess | null {
  const { SHOPIFY_PARTNER_ORGANIZATION: organization, SHOPIFY_PARTNER_TOKEN: token } = env
  const app = env.SHOPIFY_APP_NUMBER
  return organization && token && app ? { organization, token, app } : null
}

function twilioOf(env: EnvironmentVariables): TwilioAccount | null {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from } = env
  if (!accountSid || !authToken || !from) return null
  return { accountSid, authToken, from, apiUrl: env.TWILIO_API_URL.replace(/\/+$/, '') }
}

const CLIENTS = ['GOOGLE', 'DROPBOX', 'MICROSOFT'] as const

function readClients(env: EnvironmentVariables, problems: string[]): CloudEnvironment['clients'] {
  const clients = CLIENTS.map((name) => {
    const [id, secret] = [env[`CLOUD_${name}_CLIENT_ID`], env[`CLOUD_${name}_CLIENT_SECRET`]]
    if (!id !== !secret)
      problems.push(`CLOUD_${name}_CLIENT_ID and CLOUD_${name}_CLIENT_SECRET: set both, or neither`)
    return [name, id && secret ? { id, secret } : undefined] as const
  })
  return Object.fromEntries(clients)
}
