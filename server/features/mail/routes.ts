// How a shop's mails to buyers are sent: name and address for replies, its own server or domain, and
// the addresses that nothing is sent to.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  emailAddress,
  say,
  sayPlain,
  sentences,
  type Text,
  textOf,
} from '../../../plugins/contract/index.ts'
import { forShop } from '../../core/db/for-shop.ts'
import type { Database } from '../../core/db/database.ts'
import { openRateLimit } from '../../core/db/callers.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { DeliveryResult } from '../../core/outbox/outbox.ts'
import { fromCursor, text, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Caller, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, listOf, messageText, page, timestamp } from '../../http/schemas.ts'
import type { Resolver } from '../../ports/addresses.ts'
import {
  allowAddress,
  listBlocked,
  changeSender,
  MAIL_PORTS,
  readMailSettings,
  senderChange,
  serverChange,
  type ShopMailServer,
} from './settings.ts'
import type { MailDns } from './dns-records.ts'
import { checkMailDomain, removeMailDomain, setMailDomain } from './domain.ts'
import { createMailTokens } from './sender.ts'
import { mailSettingsRecord, mailSettingsSchema, type MailRecordParts } from './record.ts'
import { openPassword, sealPassword } from './server-password.ts'
import { confirmServer, newTestCode, saveServerTest } from './server-test.ts'
import { isMailPort, openShopServer } from './shop-server.ts'
import { testLetter } from './test-letter.ts'
import { textRoutes } from './text-routes.ts'

export interface MailRouteParts {
  database: Database
  secrets: Secrets
  baseUrl: string
  clock: () => Date
  mail: MailRecordParts & {
    allowLoopback: boolean
    resolve: Resolver
    dns: MailDns
  }
}

const endpoint = endpointsOf({ tag: 'Mail' })
const saved = { 200: { description: 'All of it', schema: mailSettingsSchema } } as const
const refused = { 422: { description: 'Every problem', schema: errorSchema } } as const

export const mailRoutes = (parts: MailRouteParts): Endpoint[] => [
  endpoint('GET /api/settings/mail', {
    summary: 'Read how mails to buyers are sent',
    scope: 'operations:read',
    replies: saved,
    handler: ({ caller }) => answer(parts, caller),
  }),
  endpoint('PATCH /api/settings/mail', {
    logs: { kind: 'mail' },
    summary: 'Change how mails to buyers are sent',
    scope: 'settings:write',
    body: senderChange,
    replies: { ...saved, ...refused },
    handler: async ({ caller, body }) => {
      await changeSender(caller.scope, body)
      return answer(parts, caller)
    },
  }),
  ...serverRoutes(parts),
  ...domainRoutes(parts),
  ...blockRoutes(),
  ...textRoutes(parts),
]

async function answer({ mail }: MailRouteParts, { scope }: Caller) {
  return { body: mailSettingsRecord(await readMailSettings(scope), mail) }
}

const SERVER = `/api/settings/mail/server`

const serverRoutes = (parts: MailRouteParts): Endpoint[] => [
  endpoint(`PUT ${SERVER}`, {
    logs: { kind: 'mail' },
    summary: 'Set the shop’s own mail server',
    description:
      'It is used once a test mail through it has arrived: until then, and after each change, the installation sends.',
    scope: 'settings:write',
    body: serverChange,
    replies: { ...saved, ...refused },
    handler: async ({ caller, body: { password, ...server } }) => {
      await saveServer(parts, caller, server, password)
      return answer(parts, caller)
    },
  }),
  endpoint(`DELETE ${SERVER}`, {
    logs: { kind: 'mail' },
    summary: 'Remove the shop’s own mail server',
    scope: 'settings:write',
    replies: saved,
    handler: async ({ caller }) => {
      await caller.scope.query(
        `update mail_settings set server = null, server_password = null, server_test = null,
           server_confirmed_at = null,
           sender = case when sender ->> 'way' = 'server' then sender - 'way' else sender end
         where shop_id = :shop`,
      )
      return answer(parts, caller)
    },
  }),
  testRoute(parts),
  endpoint(`POST ${SERVER}/confirm`, {
    logs: { kind: 'mail', verb: 'changed' },
    summary: 'Confirm the shop’s own mail server',
    description: 'With the code of the last test mail. Mails to buyers are then sent through it.',
    scope: 'settings:write',
    body: z.strictObject({ code: z.string().max(20, sayPlain('The code has six digits')) }),
    replies: { ...saved, ...refused },
    handler: async ({ caller, body }) => {
      const { secrets, clock } = parts
      await confirmServer(caller.scope, { secrets, code: body.code, now: clock() })
      return answer(parts, caller)
    },
  }),
]

const problem = (param: string, message: Text) =>
  new AppError('validation_failed', {
    param,
    details: [{ param, code: 'invalid_value', message }],
  })

/** Throws `validation_failed`. */
async function saveServer(
  { secrets, mail }: MailRouteParts,
  { scope }: Caller,
  server: ShopMailServer,
  password: string | undefined,
): Promise<void> {
  if (!isMailPort(server.port, mail.allowLoopback))
    throw problem(
      'port',
      say('Mail servers have one of the ports {names}', { names: MAIL_PORTS.join(', ') }),
    )
  if (server.reports && mail.returnAddress === null)
    throw problem('reports', say('This installation reads no reports about mails'))
  const known = await readMailSettings(scope)
  const isSame = known.server?.host === server.host && known.server.user === server.user
  // A saved password is sent to no other server than the one that it was entered for.
  const kept = isSame ? known.serverPassword : null
  const sealed = password ? sealPassword(secrets, scope.shop, password) : kept
  if (server.user !== '' && !sealed) throw problem('password', say('Enter the password'))
  if (server.user !== '' && server.security === 'none')
    throw problem('security', say('A password is sent over TLS only: choose TLS or STARTTLS'))
  await scope.query(
    `insert into mail_settings (shop_id, server, server_password) values (:shop, :server, :password)
     on conflict (shop_id) do update set server = excluded.server,
       server_password = excluded.server_password, server_test = null, server_confirmed_at = null`,
    { server: JSON.stringify(server), password: server.user === '' ? null : sealed },
  )
}

const TESTS_PER_HOUR = 10
const HOUR_SECONDS = 3600
const TEST_MS = 25_000

function testRoute(parts: MailRouteParts): Endpoint {
  const tests = openRateLimit(parts.database.pool, {
    name: 'mail-tests',
    points: TESTS_PER_HOUR,
    seconds: HOUR_SECONDS,
  })
  return endpoint(`POST ${SERVER}/test`, {
    summary: 'Send a test mail through the shop’s own mail server',
    description: 'It contains a code of six digits, which confirms the server.',
    scope: 'settings:write',
    body: z.strictObject({ email: emailAddress('Enter an email address') }),
    replies: {
      ...saved,
      409: { description: 'There is no server', schema: errorSchema },
      422: { description: 'The mail server did not accept the mail', schema: errorSchema },
    },
    handler: async ({ caller, body: { email }, signal }) => {
      const { secrets, clock, mail } = parts
      const settings = await readMailSettings(caller.scope)
      if (!settings.server)
        throw new AppError('conflict', { message: say('Save a mail server first') })
      const { exceeded, retryAfter } = await tests.consume(String(caller.scope.shop))
      if (exceeded) throw new AppError('rate_limited', { retryAfter })
      const { shop } = caller.scope
      const password = openPassword(secrets, shop, settings.serverPassword)
      const code = newTestCode()
      const reportsTo = settings.server.reports ? mail.returnAddress : null
      const returnPath =
        reportsTo === null
          ? null
          : createMailTokens(secrets).addressOf(reportsTo, { shop, message: randomUUID() })
      const letter = testLetter({
        settings,
        server: settings.server,
        to: email,
        code,
        returnPath,
      })
      const result = await openShopServer(settings.server, password, mail).handOver(
        letter,
        AbortSignal.any([signal, AbortSignal.timeout(TEST_MS)]),
      )
      if (result.status !== 'sent')
        throw new AppError('mail_server_failed', { message: failureOf(result, returnPath) })
      const scope = forShop(parts.database, shop)
      const { server, serverPassword } = settings
      await saveServerTest(scope, {
        secrets,
        server,
        password: serverPassword,
        code,
        to: email,
        now: clock(),
      })
      return answer(parts, caller)
    },
  })
}

/** Why the test mail was not sent. */
function failureOf(
  result: Exclude<DeliveryResult, { status: 'sent' }>,
  returnPath: string | null,
): Text {
  if (result.status === 'returned') return say('The mail server took too long')
  const reason = textOf(result.reason)
  if (returnPath === null) return reason
  return sentences(
    say('{reason}.', { reason }),
    say(
      'If your server refuses the address for reports, switch off that the app is told about mails that come back.',
    ),
  )
}

const DOMAIN = `/api/settings/mail/domain`

const domainRoutes = (parts: MailRouteParts): Endpoint[] => [
  endpoint(`PUT ${DOMAIN}`, {
    logs: { kind: 'mail' },
    summary: 'Set the domain that mails to buyers are sent from',
    description:
      'Its DNS records are in the answer. Mails are sent from it once its DKIM record is found.',
    scope: 'settings:write',
    body: z
      .strictObject({ from: emailAddress('Enter an address of your domain') })
      .meta({ id: 'MailDomainChange' }),
    replies: { ...saved, ...refused, 409: { description: 'No mail server', schema: errorSchema } },
    handler: async ({ caller, body }) => {
      if (!parts.mail.hasServer)
        throw new AppError('conflict', { message: say('This installation has no mail server') })
      await setMailDomain(caller.scope, parts.secrets, body.from)
      return answer(parts, caller)
    },
  }),
  endpoint(`DELETE ${DOMAIN}`, {
    logs: { kind: 'mail' },
    summary: 'Remove the domain that mails to buyers are sent from',
    scope: 'settings:write',
    replies: saved,
    handler: async ({ caller }) => {
      await removeMailDomain(caller.scope)
      return answer(parts, caller)
    },
  }),
  endpoint(`POST ${DOMAIN}/check`, {
    summary: 'Look up the DNS records of the domain',
    scope: 'settings:write',
    replies: { ...saved, 409: { description: 'There is no domain', schema: errorSchema } },
    handler: async ({ caller }) => {
      const { mail, clock } = parts
      const check = { advice: mail, dns: mail.dns, now: clock() }
      if ((await checkMailDomain(caller.scope, check)) === null)
        throw new AppError('conflict', { message: say('Enter your domain first') })
      return answer(parts, caller)
    },
  }),
]

const blockedSchema = z
  .object({
    email: z.string(),
    reason: z.string(),
    reason_text: messageText,
    created_at: timestamp,
    complaint: z
      .boolean()
      .describe('It reported a mail as spam: it gets no mails about new versions and added files'),
  })
  .meta({ id: 'BlockedAddress' })

const blockRoutes = (): Endpoint[] => [
  endpoint('GET /api/settings/mail/blocked', {
    summary: 'List addresses that nothing is sent to',
    description:
      'An earlier mail to them came back, because the address does not exist, or they reported it as spam (`complaint`).',
    scope: 'operations:read',
    query: z.strictObject(page),
    replies: { 200: { description: 'A page of addresses', schema: listOf(blockedSchema) } },
    handler: async ({ caller, query: { limit, cursor } }) => {
      const after = fromCursor(cursor, [text])?.[0]
      const rows = await listBlocked(caller.scope, { limit: limit + 1, after })
      return {
        body: listPage(
          rows,
          limit,
          (last) => [last.email],
          (row) => ({
            ...row,
            reason_text: row.reason_text ?? undefined,
            created_at: row.created_at.toISOString(),
          }),
        ),
      }
    },
  }),
  endpoint('POST /api/settings/mail/allow', {
    summary: 'Send mails to an address again',
    scope: 'settings:write',
    body: z.strictObject({ email: z.string().trim().min(1).max(320) }),
    replies: {
      200: {
        description: 'Whether it was blocked',
        schema: z.object({ allowed: z.boolean() }),
      },
    },
    handler: async ({ caller, body }) => ({
      body: { allowed: await allowAddress(caller.scope, body.email) },
    }),
  }),
]
