// A shop's webhooks: created, listed, changed, rotated and deleted, and what was sent to each.
import type { z } from 'zod'
import { say, type Text } from '../../../plugins/contract/index.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import { keepAddress, wholeAddress, type SealPlace } from '../../core/client-address.ts'
import { endPause, forgetReceiver } from '../../core/outbox/limits.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { firstOf } from '../../core/lazy.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import { newWebhookSecret } from '../../core/outbox/signatures.ts'
import { TEST_EVENT, type WebhookPayload } from '../../core/outbox/webhook-events.ts'

export const MAX_WEBHOOKS = 20

export interface WebhookRow {
  id: string
  /** The address without user info, query and fragment. */
  url: string
  description: string
  /** The names of the events that are sent; empty: all. */
  events: string[]
  enabled: boolean
  switched_off: string | null
  switched_off_text: Text | null
  switched_off_at: Date | null
  failing_since: Date | null
  last_success_at: Date | null
  last_error: string | null
  last_error_text: Text | null
  previous_until: Date | null
  created_at: Date
}

const COLUMNS = `id, url, description, events, enabled, switched_off, switched_off_text, switched_off_at,
  failing_since, last_success_at, last_error, last_error_text, case when previous_until > now()
    then previous_until end
    as previous_until,
  created_at`

/** Where messages go to, and what signs them. */
export interface WebhookReceiver {
  id: string
  url: string
  sealed_url: string | null
  enabled: boolean
  secret: Buffer
  previous_secret: Buffer | null
}

/** SQL: the columns of a receiver, of the webhook `w`; the previous secret only while it is valid. */
export const RECEIVER_COLUMNS = `w.id, w.url, w.sealed_url, w.enabled, w.secret,
  case when w.previous_until > :now then w.previous_secret end as previous_secret`

/** The whole address of a receiver, and its secrets. */
export const openReceiver = (
  { url, sealed_url, secret, previous_secret }: WebhookReceiver,
  { shop, secrets }: SealPlace,
): { address: string; signingSecrets: string[] } => ({
  address: wholeAddress(sealed_url === null ? { url } : { url, sealed: sealed_url }, {
    shop,
    secrets,
  }),
  signingSecrets: [secret, ...(previous_secret ? [previous_secret] : [])].map((sealed) =>
    secrets.open(sealed, secretPlace(shop)),
  ),
})

export type WebhookSecrets = Pick<Secrets, 'seal' | 'open'>

/** The context that a webhook's secret is sealed with. */
export const secretPlace = (shop: number) => `${shop}/webhooks`

/** Lists the webhooks, oldest first. */
export const listWebhooks = (scope: ShopScope): Promise<WebhookRow[]> =>
  scope.query<WebhookRow>(
    `select ${COLUMNS} from webhook_endpoints where shop_id = :shop order by id`,
  )

/** Reads a webhook. Throws `not_found`. */
export async function readWebhook(scope: ShopScope, id: string): Promise<WebhookRow> {
  const [row] = await scope.query<WebhookRow>(
    `select ${COLUMNS} from webhook_endpoints where shop_id = :shop and id = :id`,
    { id },
  )
  if (!row) throw new AppError('not_found')
  return row
}

export interface WebhookFields {
  url: string
  description: string
  events: readonly string[]
  enabled: boolean
}

export interface CreatedWebhook {
  webhook: WebhookRow
  secret: string
}

/** Creates a webhook. Throws `too_many`. */
export function createWebhook(
  scope: ShopScope,
  secrets: WebhookSecrets,
  fields: WebhookFields,
): Promise<CreatedWebhook> {
  return scope.transaction(async (tx) => {
    const count = await countInTurn(tx, 'webhook_endpoints where shop_id = :shop')
    if (count >= MAX_WEBHOOKS)
      throw new AppError('too_many', {
        message: say('There are {most} webhooks, which is the maximum. Delete one first.', {
          most: MAX_WEBHOOKS,
        }),
      })
    const secret = newWebhookSecret()
    const row = firstOf(
      await tx
        .insert('webhook_endpoints', {
          ...addressColumns(tx, secrets, fields.url),
          description: fields.description,
          events: fields.events,
          enabled: fields.enabled,
          secret: secrets.seal(secret, secretPlace(tx.shop)),
        })
        .returning<{ id: string }[]>('id'),
    )
    return { webhook: await readWebhook(tx, row.id), secret }
  })
}

function addressColumns({ shop }: ShopScope, secrets: WebhookSecrets, address: string) {
  const { url, sealed = null } = keepAddress(address, { shop, secrets })
  return { url, sealed_url: sealed }
}

/** Changes a webhook. Switching it on clears its failures. Throws `not_found`. */
export async function changeWebhook(
  scope: ShopScope,
  secrets: WebhookSecrets,
  id: string,
  change: Partial<WebhookFields>,
): Promise<WebhookRow> {
  const { url, ...fields } = change
  const changed = {
    ...fields,
    ...(url === undefined ? {} : addressColumns(scope, secrets, url)),
    ...(fields.enabled
      ? { switched_off: null, switched_off_at: null, failing_since: null, last_error: null }
      : {}),
  }
  if (Object.keys(changed).length > 0)
    await scope
      .from('webhook_endpoints')
      .where({ id } as never)
      .update(changed as never)
  await endPause(scope, id)
  return readWebhook(scope, id)
}

/** Deletes a webhook and the messages that wait for it. Throws `not_found`. */
export async function deleteWebhook(scope: ShopScope, id: string): Promise<void> {
  await deleteRow(scope, 'webhook_endpoints', id)
  await forgetReceiver(scope, id)
}

/** Sets a new secret; the previous one also signs for `hours`. Throws `not_found`. */
export async function rotateSecret(
  scope: ShopScope,
  secrets: WebhookSecrets,
  id: string,
  hours: number,
): Promise<CreatedWebhook> {
  const secret = newWebhookSecret()
  const rows = await scope.query(
    `update webhook_endpoints set secret = :secret,
       previous_secret = case when :hours::integer > 0 then secret end,
       previous_until = case when :hours::integer > 0
         then now() + :hours::integer * interval '1 hour' end
     where shop_id = :shop and id = :id returning id`,
    { id, hours, secret: secrets.seal(secret, secretPlace(scope.shop)) },
  )
  if (rows.length === 0) throw new AppError('not_found')
  return { webhook: await readWebhook(scope, id), secret }
}

/** Queues a test message, also to a webhook that is switched off; returns its UUID. */
export function sendTest(scope: ShopScope, id: string, now: Date): Promise<string> {
  return scope.transaction(async (tx) => {
    await readWebhook(tx, id)
    await endPause(tx, id)
    const payload: WebhookPayload = {
      type: TEST_EVENT.name,
      data: {
        message: 'This is a test. Answer with a status from 200 to 299.',
      } satisfies z.input<typeof TEST_EVENT.data>,
    }
    const row = firstOf(
      await tx
        .insert('outbox', {
          key: `webhook/${id}/test/${now.getTime()}/${crypto.randomUUID()}`,
          kind: 'webhook',
          payload: JSON.stringify(payload),
          webhook_id: id,
        })
        .returning<{ id: string }[]>('id'),
    )
    await queueMessage(tx, row.id)
    return row.id
  })
}
