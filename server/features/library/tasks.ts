// Sends the mails that were asked for to addresses whose library lists something, and drops the
// other requests.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { present } from '../../core/lazy.ts'
import { readBuyerPage } from '../downloads/buyer-page.ts'
import { queueLibraryMails } from './library-mail.ts'
import { hasItems } from './items.ts'
import { LIBRARY_MAILS } from './keys.ts'

const REQUESTS_PER_RUN = 100

export const libraryMailTask = ({ database }: { database: Database }): BackgroundTask => ({
  ...LIBRARY_MAILS,
  concurrency: 1,
  wanted: `select k.shop_id, k.shop_id::text as key, min(k.created_at) as due_at
    from library_keys k join shops s on s.id = k.shop_id and s.uninstalled_at is null
    where k.pending group by k.shop_id`,
  run: async ({ shop, signal }) => {
    const scope = forShop(database, present(shop, 'the task’s shop'))
    while ((await scope.transaction(sendRequested)) === REQUESTS_PER_RUN) signal.throwIfAborted()
    return null
  },
})

/** Returns how many requests were handled. */
async function sendRequested(tx: ShopScope): Promise<number> {
  const requests = await tx.query<{ id: string; email: string }>(
    `select id, email from library_keys where shop_id = :shop and pending
     order by created_at limit :limit for update skip locked`,
    { limit: REQUESTS_PER_RUN },
  )
  const { library } = (await readBuyerPage(tx)).page
  const known: string[] = []
  for (const { id, email } of requests) if (library && (await hasItems(tx, email))) known.push(id)
  const ids = requests.map(({ id }) => id)
  await tx.query(
    `delete from library_keys where shop_id = :shop and id = any(:ids::uuid[])
       and id <> all(:known::uuid[])`,
    { ids, known },
  )
  // The language of the buyer's last order, rather than that of the page.
  await tx.query(
    `update library_keys k set pending = false, locale = coalesce((
       select o.locale from orders o
       where o.shop_id = k.shop_id and (lower(o.email) collate "C") = k.email
       order by o.ordered_at desc limit 1), k.locale)
     where shop_id = :shop and id = any(:known::uuid[])`,
    { known },
  )
  await queueLibraryMails(tx, known)
  return requests.length
}
