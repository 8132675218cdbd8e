// The templates of mails to buyers. All others go to the shop.
import { LINK_TEMPLATE } from '../links/mail.ts'

/** Several links for one buyer of another app. */
export const MOVED_TEMPLATE = 'moved-links'

const BUYER_TEMPLATES = ['order-delivery', LINK_TEMPLATE, MOVED_TEMPLATE, 'library-link'] as const
export type BuyerTemplate = (typeof BUYER_TEMPLATES)[number]

/** SQL: their names as a list. */
export const BUYER_TEMPLATES_SQL = BUYER_TEMPLATES.map((name) => `'${name}'`).join(', ')

/** A link, a delivery or a library: the mail goes to a buyer. */
export const isForBuyer = (payload: unknown): boolean =>
  BUYER_TEMPLATES.some((name) => name === (payload as { template?: unknown }).template)
