// POST /api/licences/verify, /activate and /deactivate, also without `/api`: programs of buyers check their licence key, from
// anywhere and without an API key. Requests are limited by address and by key, and wrong keys by
// address: keys cannot be found by trying. A malformed key takes the same way as an unknown one.
// docs/decisions/0060.
import type { Context } from 'koa'
import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { say, sayPlain, UNSAFE_CHARACTERS } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { openRateLimit, type RateLimit } from '../../core/db/callers.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import { createSemaphores } from '../../core/body-budget.ts'
import { jsonReader } from '../../http/body.ts'
import { createClients, networkOfRequest } from '../../core/client-address.ts'
import type { Mount } from '../../http/listen.ts'
import { ANY_OTHER_ERROR, errorReply, timestamp } from '../../http/schemas.ts'
import { validate } from '../../http/validate.ts'
import {
  activateKey,
  deactivateKey,
  findAssignedKey,
  LICENCE_STATUSES,
  UNKNOWN_KEY,
  verifyKey,
  type LicenceState,
} from './activations.ts'
import { createKeyHash } from './licence-lists.ts'

/** A key has at most 500 characters, an instance 255, and each may take several bytes. */
const BODY_BYTES = 8 * 1024
/** Many computers of one office may share an address. */
const REQUESTS_PER_ADDRESS = 240
/** A key without a limit of activations may be used by a whole company. */
const REQUESTS_PER_KEY = 120
const MINUTE_SECONDS = 60
const WRONG_KEYS_PER_ADDRESS = 30
const WRONG_SECONDS = 10 * 60
/** How many keys of one address a process looks up concurrently. */
const LOOKED_UP_AT_ONCE = 4

const fields = {
  key: z.string().describe('The licence key, as its buyer got it'),
  shop: z
    .string()
    .max(255)
    .optional()
    .describe('The domain of the shop, as in `example.myshopify.com`, if several have the key'),
}
const instanceField = z
  .string()
  .trim()
  .min(1, sayPlain('Name the instance'))
  .max(255, sayPlain('An instance has at most 255 characters'))
  .refine(
    (text) => !UNSAFE_CHARACTERS.test(text),
    sayPlain('An instance has no control characters'),
  )
  .describe('A name that your program chooses for the device or site, the same each time')
const verifySchema = z
  .strictObject({ ...fields, instance: instanceField.optional() })
  .meta({ id: 'LicenceVerification' })
const activateSchema = z
  .strictObject({ ...fields, instance: instanceField.default('default') })
  .meta({ id: 'LicenceActivation' })

const stateSchema = z
  .strictObject({
    valid: z.boolean().describe('The key is active and, with `instance`, activated there'),
    status: z.enum(LICENCE_STATUSES),
    activations: z.number().int(),
    activation_limit: z.number().int().nullable().describe('null: unlimited'),
    expires_at: timestamp.nullable().describe('null: never'),
    file: z.string().nullable().describe('The name of the file'),
    order: z.string().nullable().describe('The name of the order'),
  })
  .meta({ id: 'LicenceState' })

const ACTIONS = {
  verify: {
    schema: verifySchema,
    summary: 'Verify a licence key',
    about: 'With `instance`, the key is valid only if it is activated there.',
  },
  activate: {
    schema: activateSchema,
    summary: 'Activate a licence key at an instance',
    about:
      'An instance counts once; all requests without one are the same instance. Beyond the limit of activations the status is `limit_reached`, and nothing changes.',
  },
  deactivate: {
    schema: activateSchema,
    summary: 'Deactivate a licence key at an instance',
    about: 'Its place is free for another instance.',
  },
} as const
type LicenceAction = keyof typeof ACTIONS

/** Programs in the field use either: both stay. */
const ACTION_OF = new Map<string, LicenceAction>(
  (Object.keys(ACTIONS) as LicenceAction[]).flatMap((action) => [
    [`/api/licences/${action}`, action] as const,
    [`/licences/${action}`, action] as const,
  ]),
)
/** The document of the API describes them; they have no API key. */
export const licencePaths: ZodOpenApiPathsObject = Object.fromEntries(
  [...ACTION_OF].map(([path, action]) => {
    const { schema, summary, about } = ACTIONS[action]
    const isShort = !path.startsWith('/api/')
    return [
      path,
      {
        post: {
          summary: isShort ? `${summary} (short address)` : summary,
          description: `${isShort ? `The same as \`/api${path}\`. ` : ''}${about} For programs of your buyers: no API key is needed, and pages of any origin may call it. An unknown key is answered with 200 and \`unknown\`.`,
          tags: ['Licence keys'],
          security: [],
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses: {
            200: {
              description: 'The state of the key',
              content: { 'application/json': { schema: stateSchema } },
            },
            400: errorReply('The body is not valid JSON'),
            413: errorReply('The body is larger than 8 KB'),
            415: errorReply('The body is not sent as JSON'),
            422: errorReply('Every problem; also if several shops have the key and none is named'),
            429: errorReply('Too many requests: see Retry-After'),
            default: ANY_OTHER_ERROR,
          },
        },
      },
    ]
  }),
)

export interface VerificationParts {
  database: Database
  secrets: Pick<Secrets, 'lookupKey' | 'clientHash'>
  trustProxy: boolean
}

/** Metrics count each address separately. */
export function licenceVerification(parts: VerificationParts): Mount[] {
  const { database, secrets, trustProxy } = parts
  const readJson = jsonReader(BODY_BYTES)
  const hashOf = createKeyHash(secrets)
  const clientOf = createClients(secrets, trustProxy)
  const limitOf = (name: string, points: number, seconds: number) =>
    openRateLimit(database.pool, { name: `licence-${name}`, points, seconds })
  const requests = limitOf('requests', REQUESTS_PER_ADDRESS, MINUTE_SECONDS)
  const keys = limitOf('keys', REQUESTS_PER_KEY, MINUTE_SECONDS)
  const guess = createGuesses(limitOf('wrong', WRONG_KEYS_PER_ADDRESS, WRONG_SECONDS))

  async function answer(ctx: Context, action: LicenceAction): Promise<LicenceState> {
    const network = networkOfRequest(ctx.req, trustProxy)
    await consume(requests, network)
    const { key, shop, instance } = validate(ACTIONS[action].schema, storable(await readJson(ctx)))
    const hash = hashOf(key.trim())
    const found = await guess(network, async () => {
      await consume(keys, hash.toString('hex'))
      return findAssignedKey(database, hash, shop?.trim().toLowerCase() ?? null)
    })
    if (!found) return UNKNOWN_KEY
    if (action === 'verify' || instance === undefined) return verifyKey(found, instance ?? null)
    if (action === 'deactivate') return deactivateKey(found, instance)
    return activateKey(found, { instance, address: clientOf(ctx.req).address })
  }

  const handle = async (ctx: Context, action: LicenceAction): Promise<void> => {
    // No cookie or key of a person is read, so that a page of any origin may call it.
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Access-Control-Expose-Headers', 'Retry-After')
    ctx.set('Cache-Control', 'no-store')
    if (ctx.method === 'OPTIONS') return preflight(ctx)
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST, OPTIONS')
      throw new AppError('method_not_allowed')
    }
    const state = await answer(ctx, action)
    ctx.body = recordOf(state)
  }
  return [...ACTION_OF].map(([path, action]) => ({
    path,
    route: path,
    handle: (ctx) => handle(ctx, action),
  }))
}

/**
 * Counts a wrong key before it is looked up, so that parallel guesses over several processes get no
 * more than one after another. A right one is taken back: few of an address are looked up
 * concurrently, so that right keys do not use up its limit meanwhile.
 */
function createGuesses(wrong: RateLimit) {
  const looking = createSemaphores(LOOKED_UP_AT_ONCE)
  return async <T>(network: string, lookUp: () => Promise<T | null>): Promise<T | null> => {
    const end = await looking.acquire(network)
    let isWrong = false
    try {
      const { exceeded, retryAfter } = await wrong.consume(network)
      if (exceeded) throw new AppError('rate_limited', { message: TOO_MANY_WRONG, retryAfter })
      const found = await lookUp()
      isWrong = found === null
      return found
    } finally {
      end()
      if (!isWrong) await wrong.giveBack(network)
    }
  }
}

const recordOf = (state: LicenceState): z.output<typeof stateSchema> => ({
  valid: state.valid,
  status: state.status,
  activations: state.activations,
  activation_limit: state.activation_limit,
  expires_at: state.expires_at?.toISOString() ?? null,
  file: state.file,
  order: state.order,
})

const TOO_MANY_WRONG = say(
  'Too many unknown licence keys came from this address: wait as long as Retry-After says',
)

async function consume(limit: RateLimit, subject: string): Promise<void> {
  const { exceeded, retryAfter } = await limit.consume(subject)
  if (exceeded) throw new AppError('rate_limited', { retryAfter })
}

/** A key with characters that cannot be stored is unknown, like any other that does not exist. */
function storable(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('key' in body)) return body
  const { key } = body
  if (typeof key !== 'string') return body
  return { ...body, key: key.toWellFormed().replaceAll('\u0000', '\ufffd') }
}

function preflight(ctx: Context): void {
  ctx.set('Access-Control-Allow-Methods', 'POST')
  ctx.set('Access-Control-Allow-Headers', 'content-type')
  ctx.set('Access-Control-Max-Age', '600')
  ctx.status = 204
}
