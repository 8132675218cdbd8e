// Stored replies for repeated requests, sealed because some name buyers or contain their keys.
import type { Secrets } from '../secrets.ts'
import type { ShopScope } from './for-shop.ts'
import { lastOf } from '../lazy.ts'

/** What a reply is sealed for. */
export const replyPlace = ({ shop }: Pick<ShopScope, 'shop'>): string =>
  `shop/${shop}/idempotency_keys.reply`

/** Seals a reply for its row in idempotency_keys. */
export const sealReply = (scope: ShopScope, secrets: Secrets, reply: object): Buffer =>
  secrets.seal(JSON.stringify(reply), replyPlace(scope))

/**
 * The reply of a row.
 * @throws if it was sealed under a secret that is not configured, or for another shop
 */
export const openReply = (scope: ShopScope, secrets: Secrets, sealed: Buffer): unknown =>
  JSON.parse(secrets.open(sealed, replyPlace(scope)))

const REPLY_BATCH = 500

/**
 * Rewrites the JSON text of every reply of the shop that `rewrite` changes. The keys are kept: a
 * repeated request must not run again.
 */
export async function rewriteReplies(
  scope: ShopScope,
  secrets: Secrets,
  rewrite: (json: string) => string,
): Promise<void> {
  for (let after = ''; ;) {
    const rows = await scope.query<{ key: string; reply: Buffer }>(
      `select key, reply from idempotency_keys
       where shop_id = :shop and reply is not null and key collate "C" > :after
       order by key collate "C" limit :most`,
      { after, most: REPLY_BATCH },
    )
    for (const { key, reply } of rows) {
      const json = JSON.stringify(openReply(scope, secrets, reply))
      const rewritten = rewrite(json)
      if (rewritten === json) continue
      await scope.query(
        `update idempotency_keys set reply = :rewritten
         where shop_id = :shop and key = :key and reply = :reply`,
        { key, reply, rewritten: sealReply(scope, secrets, JSON.parse(rewritten) as object) },
      )
    }
    if (rows.length < REPLY_BATCH) return
    after = lastOf(rows).key
  }
}
