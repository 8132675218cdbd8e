// The mail with the link to a buyer's library. As with deliveries, a message stores only the id of
// the library's key; the key is inserted when it is sent.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Content } from '../../core/outbox/outbox.ts'
import { queuePromptMessages } from '../../core/queue/queue.ts'
import type { Secrets } from '../../core/secrets.ts'
import { translatorForFirst } from '../downloads/translate.ts'
import { HIDDEN_KEY } from '../links/mail.ts'
import { type BuyerTemplate, eachMail, readMailLook, renderBuyerMail } from '../mail/buyer-mail.ts'

const TEMPLATE = 'library-link' satisfies BuyerTemplate

const libraryAddress = (baseUrl: string, key: string): string => `${baseUrl}/library?key=${key}`

/** The library's key (a bare UUID) that a message is about, or null for other messages. */
function libraryInPayload(payload: unknown): string | null {
  const { template, library } = payload as Partial<{ template: string; library: string }>
  return template === TEMPLATE && typeof library === 'string' ? library : null
}

/** Queues the mails of these keys, before all mail that is sent in bulk. Idempotent. */
export async function queueLibraryMails(tx: ShopScope, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload)
     select :shop, 'library/' || key, 'email',
       jsonb_build_object('template', :template::text, 'library', key)
     from unnest(:keys::uuid[]) key on conflict do nothing returning id`,
    { keys, template: TEMPLATE },
  )
  await queuePromptMessages(
    tx,
    rows.map(({ id }) => id),
  )
}

/** The message without its key; null: the key was deleted. */
async function writeLibraryMail(
  scope: ShopScope,
  id: string,
  baseUrl: string,
): Promise<Content | null> {
  const [row] = await scope.query<{ email: string; locale: string | null; expires_at: Date }>(
    'select email, locale, expires_at from library_keys where shop_id = :shop and id = :id',
    { id },
  )
  if (!row) return null
  const look = await readMailLook(scope)
  const t = translatorForFirst([row.locale, look.page.page.language])
  const date = t.end(row.expires_at, look.zone, new Date())
  const parts = {
    mail: 'library' as const,
    locale: t.locale,
    values: { date },
    after: t('library.mailUntil', { date }),
    address: libraryAddress(baseUrl, HIDDEN_KEY),
  }
  return { ...renderBuyerMail(look, parts, baseUrl), to: [row.email] }
}

/** The message with the key; null: the key has expired or was deleted. */
async function withLibraryKey(
  scope: ShopScope,
  content: Content,
  id: string,
  parts: { secrets: Secrets; baseUrl: string; now: Date },
): Promise<Content | null> {
  const { secrets, baseUrl, now } = parts
  const [row] = await scope.query<{ key_hash: Buffer }>(
    `select key_hash from library_keys where shop_id = :shop and id = :id and expires_at > :now`,
    { id, now },
  )
  if (!row) return null
  const address = libraryAddress(baseUrl, secrets.linkKey(id, 0, row.key_hash))
  const fill = (text: string) => text.replaceAll(libraryAddress(baseUrl, HIDDEN_KEY), address)
  return {
    ...content,
    text: fill(content.text),
    ...(content.html ? { html: fill(content.html) } : {}),
  }
}

export const libraryMails = eachMail({
  aboutOf: libraryInPayload,
  write: writeLibraryMail,
  fill: withLibraryKey,
})
