// The requests of the platform's automation (Flow) to the app: reports that workflows begin or
// cease to use a trigger, and actions of workflows. Each is signed over its raw body, like
// webhooks.
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import {
  ENGLISH,
  say,
  textIn,
  textOf,
  type TextLanguage,
  emailAddress,
  nameKey,
  sayPlain,
  settingFields,
  type Text,
} from '../../../plugins/contract/index.ts'
import { forShop, type ShopScope, findShop } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { errorFields } from '../../core/log.ts'
import { present, firstOf } from '../../core/lazy.ts'
import { readRequest, setEndHeaders } from '../../core/request-body.ts'
import { isSignature } from '../../storefront/intake.ts'
import { textOfMessage } from '../../core/texts.ts'
import type { RawMount } from '../../http/listen.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import { parseBounded, type Issue } from '../../core/bounds.ts'
import { requireDownloads } from '../../files/quotas.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import type { Link } from '../links/model/links.ts'
import { createLinks } from '../links/model/creation.ts'
import { createPackLink } from '../links/model/pack-links.ts'
import { queueLinkMails } from '../links/mail.ts'
import type { FlowAddress, FlowParts } from './address.ts'
import { TRIGGER_USE } from './trigger-use.ts'

// POST /flow/actions/send-download-links: an action of a workflow in the platform's automation
// (Flow) creates links for files or a pack, and sends them to a buyer by email. Once for each run
// of the action: the platform repeats a request whose answer was lost.

const MAX_FILES = 100
const MAX_TEXT = 30_000

const schema = z.object({
  action_run_id: z.string().min(1).max(150),
  properties: z.object({
    email: emailAddress('Give an email address'),
    files: z.string().max(MAX_TEXT, sayPlain('Name fewer files')).optional(),
    pack: z.string().max(255, sayPlain('A name has at most 255 characters')).optional(),
    expiry_days: settingFields.expiry_days.optional(),
    download_limit: settingFields.download_limit.optional(),
  }),
})
type LinkRequest = z.output<typeof schema>['properties']

const SEND_LINKS: FlowAddress = {
  path: '/flow/actions/send-download-links',
  handle: async (tx, body, parts) => {
    const parsed = parseBounded(schema, { ...body, properties: plainFields(body.properties) })
    if (!parsed.data) throw refused(parsed.issues)
    const { action_run_id, properties } = parsed.data
    if (!(await isNewRun(tx, action_run_id))) return {}
    await requireDownloads(tx)
    const links = await makeWanted(tx, properties, parts)
    await queueLinkMails(
      tx,
      links.map(({ id }) => id),
      { occasion: `flow/${action_run_id}` },
    )
    return { return_value: { links: links.map(({ id }) => toPublicId('link', id)) } }
  },
}

const NUMBERS: readonly string[] = ['expiry_days', 'download_limit']

/** Flow sends empty fields as empty texts, and numbers as texts. */
function plainFields(properties: unknown): object {
  const fields = Object.entries((properties ?? {}) as Record<string, unknown>)
  const plain = fields.map(([name, value]) => {
    const text = typeof value === 'string' ? value.trim() : value
    const number = NUMBERS.includes(name) && /^\d{1,9}(\.0+)?$/.test(String(text))
    return [name, number ? Number(text) : text]
  })
  return Object.fromEntries(plain.filter(([, value]) => value !== '' && value !== null))
}

function refused(issues: readonly Issue[]): AppError {
  const details: ErrorDetail[] = issues.map(({ path, message }) => ({
    param: String(path.at(-1) ?? ''),
    code: 'invalid_value',
    message: textOf(message),
  }))
  const { param, message } = firstOf(details)
  return new AppError('validation_failed', {
    param,
    details,
    message: say('{param}: {message}', { param, message }),
  })
}

/**
 * Records the run, with the ids of webhooks, as long as the platform may repeat the request. False:
 * it was recorded before.
 */
const isNewRun = (tx: ShopScope, run: string): Promise<boolean> =>
  tx.has(
    `insert into webhooks (shop_id, id, topic) values (:shop, :id, 'flow/send-download-links')
     on conflict do nothing returning id`,
    { id: `flow/${run}` },
  )

/**
 * Creates the links. Throws `validation_failed`, which names each file and pack that does not
 * exist.
 */
async function makeWanted(
  tx: ShopScope,
  { email, files, pack, ...terms }: LinkRequest,
  { secrets, clock }: FlowParts,
): Promise<readonly Link[]> {
  if ((files === undefined) === (pack === undefined))
    throw wrong('files', say('Send either files or a pack'))
  if (pack !== undefined) {
    const pack_id = firstOf(await idsOf(tx, 'packs', 'pack', [pack]))
    return [await createPackLink(tx, secrets, { ...terms, pack_id, email }, clock())]
  }
  const names = present(files, 'files')
    .split(/\r?\n/)
    .map((line) => line.trim())
  const wanted = [...new Set(names.filter((name) => name !== ''))]
  if (wanted.length === 0) throw wrong('files', say('Name at least one file'))
  if (wanted.length > MAX_FILES)
    throw wrong('files', say('Name at most {most} files', { most: MAX_FILES }))
  const file_ids = [...new Set(await idsOf(tx, 'files', 'file', wanted))]
  return createLinks(tx, secrets, { ...terms, file_ids, email }, clock())
}

const wrong = (param: string, message: Text) =>
  new AppError('validation_failed', {
    param,
    message: say('{param}: {message}', { param, message }),
    details: [{ param, code: 'invalid_value', message }],
  })

/**
 * Finds the bare UUIDs of files or packs, in the order given. Each is given by name, or by its id
 * in the page and the API.
 */
async function idsOf(
  tx: ShopScope,
  table: 'files' | 'packs',
  kind: 'file' | 'pack',
  given: readonly string[],
): Promise<string[]> {
  const there = table === 'files' ? 'and deleted_at is null' : ''
  const rows = await tx.query<{ id: string; name_key: string }>(
    `select id, name_key from ${table} where shop_id = :shop ${there}
       and (name_key = any(:keys::text[]) or id = any(:ids::uuid[]))`,
    {
      keys: given.map(nameKey),
      ids: given.flatMap((text) => parsePublicId(kind, text) ?? []),
    },
  )
  const byKey = new Map(rows.flatMap(({ id, name_key }) => [[name_key, id] as const]))
  const known = new Set(rows.map(({ id }) => id))
  const found = given.map((text) => {
    const id = parsePublicId(kind, text)
    return id !== null && known.has(id) ? id : byKey.get(nameKey(text))
  })
  const missing = given.filter((_, at) => found[at] === undefined)
  if (missing.length > 0)
    throw wrong(
      table === 'files' ? 'files' : 'pack',
      table === 'files'
        ? say('There is no file “{name}”', { name: firstOf(missing) })
        : say('There is no pack “{name}”', { name: firstOf(missing) }),
    )
  return found as string[]
}

const MAX_BODY_BYTES = 1024 * 1024

const ADDRESSES: readonly FlowAddress[] = [TRIGGER_USE, SEND_LINKS]

interface Answer {
  status: number
  body: object
  /** Seconds until a retry makes sense. */
  retryAfter?: number | null
}

export const flowRequests = (parts: FlowParts): RawMount => ({
  raw: true,
  path: ADDRESSES.map(({ path }) => path),
  handle: answerRequests(parts),
})

function answerRequests(parts: FlowParts): RawMount['handle'] {
  return async (request, response) => {
    let answer: Answer
    try {
      answer = await answerOf(parts, request)
    } catch (error) {
      answer = refusalOf(error)
      if (answer.status >= 500) parts.log.error('a Flow request failed', errorFields(error))
    }
    if (response.destroyed) return
    const text = JSON.stringify(answer.body)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    setEndHeaders(request, response, answer.retryAfter ?? null)
    response.writeHead(answer.status, headers).end(text)
  }
}

async function answerOf(parts: FlowParts, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'POST') throw new AppError('method_not_allowed')
  const signature = String(request.headers['x-shopify-hmac-sha256'] ?? '')
  if (!isSignature(signature)) throw new AppError('unauthenticated')
  const raw = await readRequest(request, MAX_BODY_BYTES)
  if (!parts.storefront.isSigned(raw, signature)) throw new AppError('unauthenticated')
  const body = objectIn(raw)
  const domain = typeof body.shopify_domain === 'string' ? body.shopify_domain : ''
  const shop = await findShop(parts.database, domain)
  if (!shop)
    throw new AppError('not_found', { message: say('The app is not installed in this shop') })
  const path = request.url?.split('?', 1)[0]
  const address = present(
    ADDRESSES.find((one) => one.path === path),
    `The address ${path}`,
  )
  const scope = forShop(parts.database, shop.id)
  try {
    return { status: 200, body: await scope.transaction((tx) => address.handle(tx, body, parts)) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    // The merchant reads it in the workflow's run.
    return refusalOf(error, mailLanguageOf(await readShop(scope)))
  }
}

function objectIn(raw: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(raw.toString())
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>
  } catch {
    // Answered below.
  }
  throw new AppError('malformed_request')
}

/** Flow shows the message in the workflow's run, and repeats only after 5xx. */
function refusalOf(error: unknown, language: TextLanguage = ENGLISH): Answer {
  if (!(error instanceof AppError))
    return { status: 503, body: { code: 'unavailable', message: 'Try again later' } }
  const { code, status, text, details, retryAfter } = error
  const errors = details.map(({ param, ...detail }) => ({
    param,
    message: textIn(textOf(textOfMessage(detail)), language),
  }))
  return { status, retryAfter, body: { code, message: textIn(text, language), errors } }
}
