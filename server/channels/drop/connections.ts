// The last connections and refusals of a shop, for its merchant to look at.
import type { Database } from '../../db/database.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import type { KnownAccount } from './accounts.ts'
import type { Attempt, Refusal } from './sign-in.ts'

const MOST_KEPT = 100

export interface ConnectionRow {
  id: string
  account_id: string | null
  account_name: string | null
  username: string
  address: string
  protocol: string
  refused: string | null
  connected_at: Date
  ended_at: Date | null
  files: number
  bytes: number
}

export const listConnections = (scope: ShopScope): Promise<ConnectionRow[]> =>
  scope.query<ConnectionRow>(
    `select id, account_id, (select a.name from drop_accounts a
       where a.shop_id = c.shop_id and a.id = c.account_id) as account_name, username, address, protocol, refused, connected_at, ended_at, files, bytes
     from drop_connections c where shop_id = :shop order by id desc limit ${MOST_KEPT}`,
  )

async function note(
  scope: ShopScope,
  account: string,
  attempt: Attempt,
  refused: string | null,
): Promise<string> {
  const { username, address, protocol } = attempt
  const [row] = await scope.query<{ id: string }>(
    `insert into drop_connections (shop_id, account_id, username, address, protocol, refused, ended_at)
     values (:shop, :account, :username, :address, :protocol, :refused, case when :refused::text is null then null else now() end)
     returning id`,
    { account, username, address, protocol, refused },
  )
  await scope.query(
    `delete from drop_connections where shop_id = :shop and id < (
       select id from drop_connections where shop_id = :shop order by id desc offset ${MOST_KEPT - 1} limit 1)`,
  )
  return row!.id
}

export const noteRefusal = async (
  database: Database,
  { shop_id, id }: KnownAccount,
  attempt: Attempt,
  why: Refusal,
) => void (await note(forShop(database, shop_id), id, attempt, why))

export async function noteConnection(
  scope: ShopScope,
  account: string,
  attempt: Attempt,
): Promise<string> {
  await scope.query(
    `update drop_accounts set last_used_at = now() where shop_id = :shop and id = :account`,
    {
      account,
    },
  )
  return note(scope, account, attempt, null)
}

export const noteEnd = async (
  scope: ShopScope,
  id: string,
  { files, bytes }: { files: number; bytes: number },
) =>
  void (await scope.query(
    `update drop_connections set ended_at = now(), files = :files, bytes = :bytes where shop_id = :shop and id = :id`,
    { id, files, bytes },
  ))
