// The mail with a link that the shop has made for one buyer. A message stores only the link's id; the
// key is inserted when it is sent.
import { isLinkName, nameForBuyers, say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Content } from '../../core/outbox/outbox.ts'
import type { Secrets } from '../../core/secrets.ts'
import { translatorFor } from '../downloads/translate.ts'
import { HIDDEN_KEY, linkInPayload } from '../links/mail.ts'
import {
  linkAddress,
  pageAddress,
  LINK_COLUMNS,
  LINK_TABLES,
  readLinks,
  type LinkRow,
} from '../links/model/links.ts'
import { eachMail, inOneLine, readMailLook, renderBuyerMail, type MailLook } from './buyer-mail.ts'
import { LINK_TEXTS, formatText, joinSentences } from './texts.ts'

/** The message of each link, without its key. Deleted links have none. */
export async function writeLinkMails(
  scope: ShopScope,
  links: readonly string[],
  baseUrl: string,
): Promise<Map<string, Content>> {
  if (links.length === 0) return new Map()
  const look = await readMailLook(scope)
  const rows = await scope.query<LinkRow>(
    `select ${LINK_COLUMNS} from ${LINK_TABLES} where l.shop_id = :shop
      and l.id = any(:links::uuid[])`,
    { links },
  )
  return new Map(
    rows.map((row) => [
      row.id,
      { ...mailOf(look, row, baseUrl), to: row.email === null ? [] : [row.email] },
    ]),
  )
}

/** A link has no language, so its mail has that of the buyer's page. */
function mailOf(look: MailLook, row: LinkRow, baseUrl: string): Omit<Content, 'to'> {
  const { language: locale } = look.page.page
  // A link is opened, as a page is.
  const isLink = row.file_id !== null && isLinkName(row.name)
  const values = {
    name: isLink ? nameForBuyers(inOneLine(row.name)) : inOneLine(row.name),
    pack: String(row.pack_id !== null),
    viewed: String(row.viewed_only || isLink),
  }
  const parts = {
    mail: 'link' as const,
    locale,
    values,
    before: termsOf(look, row),
    address: pageAddress(baseUrl, HIDDEN_KEY),
  }
  return renderBuyerMail(look, parts, baseUrl)
}

/**
 * `It works once, until January 31, 2026. It ends 2 days after the first download.` Of a file that is
 * only viewed, it tells the terms of its views: those of downloads have no effect.
 */
export function termsOf({ page: { page }, zone }: MailLook, row: LinkRow): string {
  const { available_at, use_hours, first_used_at, viewed_only: viewed } = row
  const { language: locale } = page
  const texts = LINK_TEXTS[locale]
  const { limit, used, end } = viewed
    ? { limit: row.view_limit, used: row.views, end: row.views_end_at }
    : { limit: row.download_limit, used: row.downloads, end: row.expires_at }
  const times = limit === null ? -1 : Math.max(0, limit - used)
  const date = end ? translatorFor(locale).end(end, zone, new Date()) : ''
  const terms = viewed ? texts.viewTerms : texts.terms
  const whole = use_hours !== null && use_hours % 24 === 0
  return joinSentences(locale, [
    formatText(locale, terms, { times, ends: String(end !== null), date }),
    ...(available_at && available_at > new Date()
      ? [
          formatText(locale, texts.release, {
            date: translatorFor(locale).moment(available_at, zone),
          }),
        ]
      : []),
    ...(use_hours === null || first_used_at
      ? []
      : [
          formatText(locale, texts.rental, {
            days: whole ? use_hours / 24 : 0,
            hours: use_hours,
            viewed: String(viewed),
          }),
        ]),
  ])
}

/** The message with the key, or null when its link does not work any more. */
async function withKey(
  scope: ShopScope,
  content: Content,
  link: string,
  parts: { secrets: Secrets; baseUrl: string; now: Date },
): Promise<Content | null> {
  const [found] = await readLinks(scope, parts.secrets, [link], parts.now)
  if (found?.status !== 'active' && found?.status !== 'not_released') return null
  const fill = (text: string) =>
    text.replaceAll(linkAddress(parts.baseUrl, HIDDEN_KEY), linkAddress(parts.baseUrl, found.key))
  return {
    ...content,
    text: fill(content.text),
    ...(content.html ? { html: fill(content.html) } : {}),
  }
}

/** What the shop can do about a link's mail that failed. */
export const NEW_LINK = say('Create a new link if it has ended, or if the address is wrong.')

export const linkMails = eachMail({
  next: NEW_LINK,
  aboutOf: linkInPayload,
  write: async (scope, link, baseUrl) => (await writeLinkMails(scope, [link], baseUrl)).get(link),
  fill: withKey,
})
