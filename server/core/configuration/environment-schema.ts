// The environment variables, each with its format and what to write instead.
import { z } from 'zod'

const ROLES = ['web', 'worker', 'drop'] as const
export type Role = (typeof ROLES)[number]

const blank = (value: unknown) => (value === '' ? undefined : value)
const setting = <T extends z.ZodType>(schema: T) => z.preprocess(blank, schema)
const flag = setting(z.enum(['0', '1'], 'set 1 or 0').default('0')).transform(
  (value) => value === '1',
)

const port = (usual: string) =>
  setting(
    z
      .string()
      .regex(/^\d{1,5}$/, `set a port number, like ${usual}; 0: any free one`)
      .default(usual)
      .transform(Number)
      .refine((value) => value <= 65_535, 'set a port number up to 65535'),
  )

const integer = (least: number, most: number, message: string) =>
  z.coerce.number(message).int(message).min(least, message).max(most, message)

/** Booleans of OpenTelemetry are words: all others than `true` are false. */
const otelFlag = setting(z.string().default('false')).transform(
  (value) => value.toLowerCase() === 'true',
)
const collector = z.url({
  protocol: /^https?$/,
  error: 'set the collector’s address, like http://127.0.0.1:4318',
})

const SECRET_LENGTH = 32

/** The list of secrets. One secret alone may contain commas. */
function previousSecrets(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.every((part) => part.length >= SECRET_LENGTH) ? parts : [text]
}

export const environmentSchema = z.object({
  DATA_DIR: setting(z.string().default('./data')),
  UPLOAD_DIR: setting(z.string().optional()),
  PORT: setting(
    z
      .string()
      .regex(/^\d{1,5}$/, 'set a port number, like 3000')
      .default('3000')
      .transform(Number)
      .refine((port) => port > 0 && port <= 65_535, 'set a port number from 1 to 65535'),
  ),
  HOST: setting(z.string().default('127.0.0.1')),
  BASE_URL: setting(
    z
      .url({
        protocol: /^https?$/,
        error: 'set the public address, like https://files.example.com',
      })
      .optional(),
  ),
  DATABASE_URL: setting(
    z
      .url({
        protocol: /^postgres(ql)?$/,
        error: 'set postgres://user:password@host:5432/database, with # in the password as %23',
      })
      .optional(),
  ),
  DATABASE_DIRECT_URL: setting(
    z
      .url({
        protocol: /^postgres(ql)?$/,
        error: 'set postgres://user:password@host:5432/database, without a pooler',
      })
      .optional(),
  ),
  DATABASE_CONNECTIONS: setting(integer(10, 1000, 'set a number from 10 to 1000').default(120)),
  DATABASE_WAIT_SECONDS: setting(
    integer(0, 3600, 'set a number of seconds from 0 to 3600').optional(),
  ),
  ROLE: setting(
    z
      .string()
      .default(ROLES.join(','))
      .transform((text) => text.split(',').map((role) => role.trim()))
      .pipe(
        z
          .array(z.enum(ROLES, `set one or more of ${ROLES.join(', ')}, separated by commas`))
          .min(1),
      ),
  ),
  APP_SECRET: setting(
    z
      .string()
      .min(SECRET_LENGTH, 'set at least 32 random characters (openssl rand -hex 32)')
      .optional(),
  ),
  APP_SECRET_PREVIOUS: setting(
    z
      .string()
      .min(SECRET_LENGTH, 'set one or more earlier values of APP_SECRET, separated by commas')
      .transform(previousSecrets)
      .default([]),
  ),
  SHOPIFY_API_KEY: setting(z.string().optional()),
  SHOPIFY_API_SECRET: setting(z.string().optional()),
  SHOPIFY_API_SECRET_PREVIOUS: setting(z.string().optional()),
  SHOPIFY_PARTNER_ORGANIZATION: setting(
    z
      .string()
      .regex(/^\d{1,20}$/, 'set the organization’s number')
      .optional(),
  ),
  SHOPIFY_PARTNER_TOKEN: setting(z.string().min(10, 'set the API client’s token').optional()),
  SHOPIFY_APP_NUMBER: setting(
    z
      .string()
      .regex(/^\d{1,20}$/, 'set the app’s number on the platform')
      .optional(),
  ),
  STORAGE_PRIMARY: setting(z.string().optional()),
  STORAGE_BACKUP: setting(z.string().optional()),
  S3_ACCESS_KEY_ID: setting(z.string().optional()),
  S3_SECRET_ACCESS_KEY: setting(z.string().optional()),
  AWS_REGION: setting(z.string().optional()),
  SMTP_URL: setting(
    z.url({ protocol: /^smtps?$/, error: 'set smtp://user:password@host:587' }).optional(),
  ),
  TWILIO_ACCOUNT_SID: setting(
    z
      .string()
      .regex(/^AC[0-9a-f]{32}$/, 'set the account’s SID: AC and 32 hexadecimal digits')
      .optional(),
  ),
  TWILIO_AUTH_TOKEN: setting(z.string().min(16, 'set the account’s auth token').optional()),
  TWILIO_FROM: setting(
    z
      .string()
      .regex(
        /^(\+[1-9]\d{6,14}|MG[0-9a-f]{32})$/,
        'set a number of yours, like +15005550006, or a messaging service, MG and 32 digits',
      )
      .optional(),
  ),
  TWILIO_API_URL: setting(
    z
      .url({ protocol: /^https?$/, error: 'set an address, like https://api.twilio.com' })
      .default('https://api.twilio.com'),
  ),
  FETCH_USER_AGENT: setting(
    z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, 'set up to 200 printable ASCII characters')
      .optional(),
  ),
  MAIL_FROM: setting(z.string().default('Stevedore <files@localhost>')),
  MAIL_RETURN_ADDRESS: setting(
    z
      .string()
      // The part before the @ gets 49 more characters, and may have 64.
      .regex(
        /^[a-z0-9._-]{1,15}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i,
        'set an address with a short name, like bounces@mail.example.com',
      )
      .optional(),
  ),
  MAIL_REPORTS_URL: setting(
    z
      .url({ protocol: /^imaps?$/, error: 'set imaps://user:password@imap.example.com/INBOX' })
      .optional(),
  ),
  POSTMARK_WEBHOOK_PASSWORD: setting(
    z.string().min(16, 'set at least 16 random characters (openssl rand -hex 16)').optional(),
  ),
  MAILGUN_SIGNING_KEY: setting(
    z.string().min(16, 'set the HTTP webhook signing key of the account').optional(),
  ),
  SES_SNS_TOPICS: setting(
    z
      .string()
      .transform((text) => text.split(',').map((topic) => topic.trim()))
      .pipe(
        z.array(
          z
            .string()
            .regex(
              /^arn:aws(-[a-z]+)*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
              'set one or more topics, like arn:aws:sns:eu-west-1:123456789012:mail',
            ),
        ),
      )
      .optional(),
  ),
  MAIL_SPF_DOMAIN: setting(
    z
      .string()
      .regex(/^[\w-]+(\.[\w-]+)+$/, 'set a domain, like spf.mail.example.com')
      .optional(),
  ),
  MAIL_BOUNCE_HOST: setting(
    z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, 'set a host name, like mail.example.com')
      .optional(),
  ),
  ALLOW_LOOPBACK: setting(z.enum(['0', '1'], 'set 1 or 0').optional()),
  DEMO_CATALOG: setting(z.string().optional()),
  DEMO_POINTS: setting(
    z
      .string()
      .regex(/^\d+\/\d+$/, 'set bucket size and points restored a second, like 2000/100')
      .default('2000/100'),
  ),
  TRUST_PROXY: flag,
  CDN_BASE_URL: setting(
    z
      .url({ protocol: /^https?$/, error: 'set the CDN’s address, like https://cdn.example.com' })
      .optional(),
  ),
  X_ACCEL_LOCATION: setting(
    z
      .string()
      .regex(/^(\/[\w.~-]+)+\/?$/, 'set nginx’s internal location, like /blobs')
      .optional(),
  ),
  S3_REDIRECT: flag,
  METRICS_TOKEN: setting(
    z.string().min(16, 'set at least 16 random characters (openssl rand -hex 16)').optional(),
  ),
  MONITORING_PORT: setting(
    z
      .string()
      .regex(/^\d{1,5}$/, 'set a port number, like 9464; 0: any free one')
      .transform(Number)
      .refine((value) => value <= 65_535, 'set a port number up to 65535')
      .optional(),
  ),
  DRAIN_SECONDS: setting(integer(0, 60, 'set a number of seconds from 0 to 60').default(0)),
  SFTP_PORT: port('2222'),
  FTP_PORT: port('2121'),
  DROP_DIR: setting(z.string().optional()),
  DROP_HOST: setting(
    z
      .string()
      .regex(/^[\w.:-]+$/, 'set a host name, like ftp.example.com')
      .optional(),
  ),
  DROP_SCHEDULE: setting(
    z.enum(['hourly', 'realtime'], 'set “realtime” or “hourly”').default('realtime'),
  ),
  FTP_PASSIVE_PORTS: setting(
    z
      .string()
      .regex(/^\d{4,5}-\d{4,5}$/, 'set a range of ports, like 30000-30999')
      .transform((text) => text.split('-').map(Number) as [number, number])
      .refine(
        ([first, last]) => first >= 1024 && first <= last && last <= 65_535,
        'set a range from 1024 to 65535',
      )
      .optional(),
  ),
  FTP_PASSIVE_ADDRESS: setting(z.ipv4('set the public IPv4 address, like 203.0.113.7').optional()),
  DROP_TLS_CERT: setting(z.string().optional()),
  DROP_TLS_KEY: setting(z.string().optional()),
  RCLONE_EXECUTABLE: setting(z.string().optional()),
  CLOUD_GOOGLE_CLIENT_ID: setting(z.string().optional()),
  CLOUD_GOOGLE_CLIENT_SECRET: setting(z.string().optional()),
  CLOUD_DROPBOX_CLIENT_ID: setting(z.string().optional()),
  CLOUD_DROPBOX_CLIENT_SECRET: setting(z.string().optional()),
  CLOUD_MICROSOFT_CLIENT_ID: setting(z.string().optional()),
  CLOUD_MICROSOFT_CLIENT_SECRET: setting(z.string().optional()),
  CLAMD_HOST: setting(
    z
      .string()
      .regex(
        /^(\/.+|[\w.-]+:\d{1,5}|\[[\da-fA-F:.]+\]:\d{1,5})$/,
        'set a host and a port, like clamav:3310, or the path of a socket, like /run/clamav/clamd.ctl',
      )
      .transform(scannerAddress)
      .refine((at) => 'path' in at || at.port < 65_536, 'set a host and a port up to 65535')
      .optional(),
  ),
  LOG_LEVEL: setting(
    z.enum(['debug', 'info', 'warn', 'error'], 'set debug, info, warn or error').optional(),
  ),
  ACCESS_LOG: flag,
  OTEL_SDK_DISABLED: otelFlag,
  OTEL_TRACES_EXPORTER: setting(
    z.enum(['otlp', 'console', 'none'], 'set otlp, console or none').optional(),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(collector.optional()),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(collector.optional()),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(z.string().optional()),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: setting(z.string().optional()),
  OTEL_TRACES_SAMPLER: setting(
    z
      .enum(
        ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [
          name,
          `parentbased_${name}`,
        ]),
        'set parentbased_always_on, parentbased_traceidratio or always_off',
      )
      .default('parentbased_always_on'),
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    z.coerce
      .number('set a number from 0 to 1')
      .min(0, 'set a number from 0 to 1')
      .max(1, 'set a number from 0 to 1')
      .default(1),
  ),
  OTEL_PROPAGATORS: setting(
    z
      .string()
      .default('none')
      .transform((text) => text.split(',').map((name) => name.trim())),
  ),
  OTEL_BSP_SCHEDULE_DELAY: setting(
    integer(1, 3_600_000, 'set milliseconds from 1 to 3600000, like 5000').default(5000),
  ),
  NODE_ENV: setting(z.string().default('development')),
})

export type EnvironmentVariables = z.output<typeof environmentSchema>

function scannerAddress(text: string): { path: string } | { host: string; port: number } {
  if (text.startsWith('/')) return { path: text }
  const colon = text.lastIndexOf(':')
  const host = text.slice(0, colon).replace(/^\[|\]$/g, '')
  return { host, port: Number(text.slice(colon + 1)) }
}
