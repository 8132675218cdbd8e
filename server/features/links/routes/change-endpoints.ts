// A merchant's changes of existing links: revoke, extend, reset the count, send.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  checkAsk,
  say,
  sayFixed,
  sayPlain,
  settingChanges,
} from '../../../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../../core/errors.ts'
import { parsePublicId, requirePublicId, toPublicId } from '../../../core/ids.ts'
import { storedReason } from '../../../core/texts.ts'
import { MAX_REPEATED, repeatedTooOften } from '../../../core/outbox/limits.ts'
import { endpointsOf, type Caller, type Endpoint, type Reply } from '../../../http/endpoint.ts'
import { errorSchema, expiryDays, messageText } from '../../../http/schemas.ts'
import { readLinks, type Link } from '../model/links.ts'
import { readCopied } from '../model/copied.ts'
import { askFields, askTerm } from '../model/ask-terms.ts'
import {
  extendLink,
  linksInLockOrder,
  resetLink,
  revokeLinks,
  setLinkAsk,
} from '../model/changes.ts'
import { queueLinkMails, unsendable } from '../mail.ts'
import { linkRecord, linkSchema } from '../record.ts'
import type { LinkRouteParts } from '../routes.ts'

type Parts = Pick<LinkRouteParts, 'secrets' | 'baseUrl' | 'clock' | 'limits'>

export const linkChangeRoutes = (parts: Parts): Endpoint[] => [
  revoke(parts),
  extend(parts),
  reset(parts),
  ask(parts),
  revokeMany(parts),
  send(parts),
]

const endpoint = endpointsOf({ tag: 'Links', scope: 'links:write' })

const one = (summary: string, description: string) => ({
  summary,
  description,
  atomic: true as const,
  replies: {
    200: { description: 'The current state of the link', schema: linkSchema },
    409: { description: 'It was revoked', schema: errorSchema },
  },
})

const revoke = (parts: Parts) =>
  endpoint('POST /api/links/{id}/revoke', {
    ...one(
      'Revoke a link',
      'Permanently. For a pack’s link, the links of its files are revoked too.',
    ),
    handler: async ({ caller, params }) => {
      const id = requirePublicId('link', params.id)
      await retryTransaction(caller.scope, (tx) => revokeLinks(tx, [id]))
      return answer(parts, caller, id)
    },
  })

const extend = (parts: Parts) =>
  endpoint('POST /api/links/{id}/extend', {
    ...one(
      'Extend a link',
      'The link expires `expiry_days` from now, or never if it is null. An expired link works again. Views end `view_days` from now; null: with the link. Without `view_days`, views that have ended work again as long as the link.',
    ),
    body: z
      .strictObject({
        expiry_days: expiryDays.optional(),
        view_days: settingChanges.view_days,
      })
      .refine(
        ({ expiry_days, view_days }) => expiry_days !== undefined || view_days !== undefined,
        {
          path: ['expiry_days'],
          message: sayPlain('Choose at least one setting to change'),
        },
      ),
    handler: async ({ caller, params, body }) => {
      const id = requirePublicId('link', params.id)
      await retryTransaction(caller.scope, (tx) =>
        extendLink(tx, id, body.expiry_days, parts.clock(), body.view_days),
      )
      return answer(parts, caller, id)
    },
  })

const reset = (parts: Parts) =>
  endpoint('POST /api/links/{id}/reset', {
    ...one('Reset a link’s counts', 'It can be downloaded and viewed as often as a new link.'),
    handler: async ({ caller, params }) => {
      const id = requirePublicId('link', params.id)
      await retryTransaction(caller.scope, (tx) => resetLink(tx, id))
      return answer(parts, caller, id)
    },
  })

const ask = (parts: Parts) =>
  endpoint('POST /api/links/{id}/ask', {
    ...one(
      'Change what a link asks for before a download',
      'Everyone who opens the link is asked from now on, also those who answered before.',
    ),
    body: z
      .strictObject({ ask_for: askFields.ask_for, password: askFields.password })
      .superRefine((asked, context) => {
        checkAsk(asked, context)
        if (asked.ask_for === undefined && asked.password === undefined)
          context.addIssue({
            code: 'custom',
            path: ['ask_for'],
            message: sayPlain('Choose at least one setting to change'),
          })
      })
      .meta({ id: 'LinkAsk' }),
    handler: async ({ caller, params, body }) => {
      const id = requirePublicId('link', params.id)
      const asked = (await askTerm(caller.scope, body)) ?? null
      await retryTransaction(caller.scope, (tx) => setLinkAsk(tx, id, asked))
      return answer(parts, caller, id)
    },
  })

/** Throws `not_found`. */
async function answer(
  { secrets, baseUrl, clock }: Parts,
  { scope }: Caller,
  id: string,
): Promise<Reply> {
  const [link] = await readLinks(scope, secrets, [id], clock())
  if (!link) throw new AppError('not_found')
  const reader = { baseUrl, mayUse: true, copied: await readCopied(scope) }
  return { body: linkRecord(link, reader) }
}

const manyBody = ({ limits }: Parts) =>
  z.strictObject({
    link_ids: z
      .array(z.string())
      .min(1, sayPlain('At least one link'))
      .max(
        limits.ids_per_call,
        sayFixed('At most {count} links a call', { count: limits.ids_per_call }),
      ),
  })

const revokeMany = (parts: Parts) =>
  endpoint('POST /api/links/revoke', {
    summary: 'Revoke links',
    description: 'Permanently, all or none. Links that were revoked before are not counted.',
    atomic: true,
    body: manyBody(parts),
    replies: {
      200: {
        description: 'How many were revoked',
        schema: z.object({ revoked: z.number().int() }),
      },
      422: { description: 'Every unknown link', schema: errorSchema },
    },
    handler: async ({ caller, body }) =>
      retryTransaction(caller.scope, async (tx) => {
        const links = await requireLinks(parts, tx, body.link_ids)
        await revokeLinks(
          tx,
          links.map(({ id }) => id),
        )
        return { body: { revoked: links.filter(({ status }) => status !== 'revoked').length } }
      }),
  })

const send = (parts: Parts) =>
  endpoint('POST /api/links/email', {
    summary: 'Send links by email',
    description:
      'One email for each link, to the link’s address. `/api/messages` shows the result of each. Links that do not work, have no address, or were sent five times within an hour are skipped.',
    atomic: true,
    body: manyBody(parts),
    replies: {
      200: {
        description: 'How many wait to be sent',
        schema: z
          .object({
            queued: z.number().int(),
            skipped: z.array(
              z.object({
                link_id: z.string(),
                reason: z.string(),
                reason_text: messageText,
              }),
            ),
          })
          .meta({ id: 'LinksEmailed' }),
      },
      422: { description: 'Every unknown link', schema: errorSchema },
    },
    handler: async ({ caller, body }) =>
      caller.scope.transaction(async (tx) => {
        const links = await requireLinks(parts, tx, body.link_ids)
        const ids = links.map(({ id }) => id)
        // Requests about one of these links take turns.
        await tx.query(linksInLockOrder('id = any(:ids::uuid[])'), { ids })
        const repeated = await repeatedTooOften(tx, 'link', ids)
        const reasons = links.map(
          (link) =>
            unsendable(link) ??
            (repeated.has(link.id)
              ? say('It was sent {count} times within an hour', { count: MAX_REPEATED })
              : null),
        )
        const sent = links.filter((_, at) => reasons[at] === null).map(({ id }) => id)
        // Sending twice is deliberate here: a repeated request under one Idempotency-Key was
        // answered earlier.
        const queued = await queueLinkMails(tx, sent, { occasion: randomUUID() })
        const skipped = links.flatMap(({ id }, at) => {
          const reason = reasons[at]
          return reason ? [{ link_id: toPublicId('link', id), ...storedReason(reason) }] : []
        })
        return { body: { queued, skipped } }
      }),
  })

/** Throws `validation_failed`, which names every unknown or repeated id. */
async function requireLinks(
  { secrets, clock }: Parts,
  scope: ShopScope,
  ids: readonly string[],
): Promise<readonly Link[]> {
  const bare = ids.map((id) => parsePublicId('link', id))
  const links = await readLinks(
    scope,
    secrets,
    bare.filter((id) => id !== null),
    clock(),
  )
  const known = new Set(links.map(({ id }) => id))
  const seen = new Set<string>()
  const details: ErrorDetail[] = []
  for (const [index, id] of bare.entries()) {
    if (id === null || !known.has(id))
      details.push({
        index,
        param: 'link_ids',
        code: 'not_found',
        message: say('There is no such link'),
      })
    else if (seen.has(id))
      details.push({
        index,
        param: 'link_ids',
        code: 'invalid_value',
        message: say('This link is named twice'),
      })
    if (id !== null) seen.add(id)
  }
  if (details.length > 0) throw new AppError('validation_failed', { param: 'link_ids', details })
  return links
}
