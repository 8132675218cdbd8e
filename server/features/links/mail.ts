// Queues email with buyers' links. A message stores only the link's id, and the key is inserted when
// it is sent (mail/link-mail.ts): neither the outbox nor the list of sent messages contains a key.
import { sayPlain } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueMessages } from '../../core/queue/queue.ts'
import type { Link } from './model/links.ts'

export const LINK_TEMPLATE = 'download-link'
/** The placeholder for the key in a stored message. */
export const HIDDEN_KEY = '(this key is not kept)'

interface LinkPayload {
  template: typeof LINK_TEMPLATE
  /** A bare UUID. */
  link: string
}

/** The link in a message, or null for other messages. */
export const linkInPayload = (payload: unknown): string | null => {
  const { template, link } = payload as Partial<LinkPayload>
  return template === LINK_TEMPLATE && typeof link === 'string' ? link : null
}

/**
 * Queues an email for each link (bare UUIDs) to its own address. Idempotent for each `occasion`.
 * Call it in the transaction that decides to send them. Returns how many were queued.
 */
export async function queueLinkMails(
  tx: ShopScope,
  links: readonly string[],
  about: { occasion: string; operation?: string },
): Promise<number> {
  if (links.length === 0) return 0
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id)
     select :shop, 'link/' || link || '/' || :occasion::text, 'email',
       jsonb_build_object('template', :template::text, 'link', link), :operation::uuid
     from unnest(:links::uuid[]) link on conflict do nothing returning id`,
    {
      links,
      template: LINK_TEMPLATE,
      occasion: about.occasion,
      operation: about.operation ?? null,
    },
  )
  await queueMessages(
    tx,
    rows.map(({ id }) => id),
  )
  return rows.length
}

/** Why the link cannot be sent, or null. */
export function unsendable({ email, status }: Pick<Link, 'email' | 'status'>): string | null {
  if (email === null) return sayPlain('It was created without an email address')
  return status === 'active' || status === 'not_released' ? null : REASONS[status]
}

const REASONS = {
  revoked: sayPlain('It was revoked'),
  withdrawn: sayPlain('Its file is in the trash, or lost its last product'),
  expired: sayPlain('It has expired'),
  exhausted: sayPlain('It has reached its download limit'),
} as const
