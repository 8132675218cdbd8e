// One mail for each past buyer of another app, with the links that a move has made for them. A message
// stores the ids of the links; their keys are inserted when it is sent.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Content } from '../../core/outbox/outbox.ts'
import { queueMessages } from '../../core/queue/queue.ts'
import type { Secrets } from '../../core/secrets.ts'
import { HIDDEN_KEY, LINK_TEMPLATE } from '../links/mail.ts'
import {
  linkAddress,
  LINK_COLUMNS,
  LINK_TABLES,
  pageAddress,
  readLinks,
  type LinkRow,
} from '../links/model/links.ts'
import {
  eachMail,
  inOneLine,
  readMailLook,
  renderBuyerMail,
  MOVED_TEMPLATE,
} from '../mail/buyer-mail.ts'
import { NEW_LINK, termsOf } from '../mail/link-mail.ts'

/** The placeholder for the key of the link at this place: a link may be deleted before it is sent. */
const hiddenAt = (place: number): string => `${HIDDEN_KEY.slice(0, -1)}, ${place + 1})`

/** Maximum number of links in a mail. The others are in the list of the buyer's links. */
const MAX_LINKS = 200

/** The links in a message, or null for other messages. */
export function movedLinks(payload: unknown): readonly string[] | null {
  const { template, links } = payload as Partial<{ template: string; links: string[] }>
  return template === MOVED_TEMPLATE && Array.isArray(links) ? links : null
}

/**
 * Queues one mail for each buyer of an operation (a bare UUID) with the links that no mail has brought
 * yet: a single link has the usual mail. Call it in the transaction that ends the operation.
 */
export async function queueMovedMails(tx: ShopScope, operation: string): Promise<void> {
  const rows = await tx.query<{ id: string }>(
    `with mailed as (
       select jsonb_array_elements_text(payload -> 'links') as link from outbox
       where shop_id = :shop and operation_id = :operation and payload ->> 'template' = :several::text
       union all select payload ->> 'link' from outbox
       where shop_id = :shop and operation_id = :operation and payload ->> 'template' = :one::text
     ), fresh as (
       select lower(l.email) as email, array_agg(l.id order by l.id) as links
       from links l where l.shop_id = :shop and l.operation_id = :operation
         and l.revoked_at is null and l.email is not null
         and not exists (select from mailed m where m.link = l.id::text)
       group by lower(l.email)
     )
     insert into outbox (shop_id, key, kind, payload, operation_id)
     select :shop, 'moved/' || links[1], 'email', case when cardinality(links) = 1
       then jsonb_build_object('template', :one::text, 'link', links[1])
       else jsonb_build_object('template', :several::text, 'links', to_jsonb(links)) end, :operation
     from fresh order by links[1] on conflict do nothing returning id`,
    { operation, one: LINK_TEMPLATE, several: MOVED_TEMPLATE },
  )
  await queueMessages(
    tx,
    rows.map(({ id }) => id),
  )
}

/** The message without keys; null: its links were deleted. */
export async function writeMovedMail(
  scope: ShopScope,
  links: readonly string[],
  baseUrl: string,
): Promise<Content | null> {
  const found = await scope.query<LinkRow>(
    `select ${LINK_COLUMNS} from ${LINK_TABLES} where l.shop_id = :shop
      and l.id = any(:links::uuid[])`,
    { links: links.slice(0, MAX_LINKS) },
  )
  const [first] = found
  if (!first) return null
  const look = await readMailLook(scope)
  const { language: locale } = look.page.page
  const byId = new Map(found.map((row) => [row.id, row]))
  const linked = links.slice(0, MAX_LINKS).flatMap((id, at) => {
    const row = byId.get(id)
    if (!row) return []
    const address = pageAddress(baseUrl, hiddenAt(at))
    return [{ name: inOneLine(row.name), terms: termsOf(look, row), address }]
  })
  const more = links.length - linked.length
  const parts = {
    mail: 'links' as const,
    locale,
    linked,
    values: {
      count: links.length,
      viewed: String(found.every(({ viewed_only }) => viewed_only)),
    },
    address: '',
    before: more > 0 ? `+ ${more}` : '',
  }
  return {
    ...renderBuyerMail(look, parts, baseUrl),
    to: first.email === null ? [] : [first.email],
  }
}

/** The message with the keys; null: none of its links works any more. */
export async function withMovedKeys(
  scope: ShopScope,
  content: Content,
  links: readonly string[],
  parts: { secrets: Secrets; baseUrl: string; now: Date },
): Promise<Content | null> {
  const found = await readLinks(scope, parts.secrets, links.slice(0, MAX_LINKS), parts.now)
  if (!found.some(({ status }) => status === 'active' || status === 'not_released')) return null
  const keys = new Map(found.map(({ id, key }) => [id, key]))
  const fill = (text: string) =>
    links
      .slice(0, MAX_LINKS)
      .reduce(
        (filled, id, at) =>
          filled.replaceAll(
            linkAddress(parts.baseUrl, hiddenAt(at)),
            linkAddress(parts.baseUrl, keys.get(id) ?? ''),
          ),
        text,
      )
  return {
    ...content,
    text: fill(content.text),
    ...(content.html ? { html: fill(content.html) } : {}),
  }
}

export const movedMails = eachMail({
  next: NEW_LINK,
  aboutOf: movedLinks,
  write: writeMovedMail,
  fill: withMovedKeys,
})
