// Which mails leave through a server of the shop, and do not wait for those of other shops.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { BUYER_TEMPLATES_SQL } from './buyer-mail.ts'

const OWN_SERVER = `m.sender ->> 'way' = 'server' and m.server_confirmed_at is not null`

/** SQL, of a row `o` of the outbox. Its template names a mail to a buyer. */
export const SENT_BY_SHOP = `(o.kind = 'email' and o.payload ->> 'template' in
  (${BUYER_TEMPLATES_SQL}) and exists (select from mail_settings m
    where m.shop_id = o.shop_id and ${OWN_SERVER}))`

/** Does the shop send mails to buyers through its own server? */
export const sendsItself = (scope: ShopScope): Promise<boolean> =>
  scope.has(`select from mail_settings m where m.shop_id = :shop and ${OWN_SERVER}`)
