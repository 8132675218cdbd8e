// Records the last connections and refusals of a shop for its merchant, and the counts of each
// account.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { KnownAccount } from './accounts.ts'
import { isGone } from './processes.ts'

const MAX_KEPT = 100

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
         where a.shop_id = c.shop_id and a.id = c.account_id) as account_name,
       username, address, protocol, refused, connected_at, ended_at, files, bytes
     from drop_connections c where shop_id = :shop order by id desc limit ${MAX_KEPT}`,
  )

async function insertConnection(
  scope: ShopScope,
  account: string,
  attempt: Attempt,
  how: { refused: string | null; process: number | null },
): Promise<string> {
  const { username, address, protocol } = attempt
  const row = await scope.one<{ id: string }>(
    `insert into drop_connections (shop_id, account_id, username, address, protocol, refused,
       process, ended_at)
     values (:shop, :account, :username, :address, :protocol, :refused, :process,
       case when :refused::text is null then null else now() end)
     returning id`,
    { account, username, address, protocol, ...how },
  )
  await scope.query(
    `delete from drop_connections where shop_id = :shop and id < (
       select id from drop_connections where shop_id = :shop
         order by id desc offset ${MAX_KEPT - 1} limit 1)`,
  )
  return row.id
}

export async function recordRefusal(
  database: Database,
  { shop_id, id }: KnownAccount,
  attempt: Attempt,
  refused: Refusal,
): Promise<void> {
  const scope = forShop(database, shop_id)
  await insertConnection(scope, id, attempt, { refused, process: null })
  await scope.query(
    'update drop_accounts set refusals = refusals + 1 where shop_id = :shop and id = :id',
    { id },
  )
}

export async function recordConnection(
  scope: ShopScope,
  account: string,
  attempt: Attempt,
  process: number,
): Promise<string> {
  await scope.query(
    `update drop_accounts set last_used_at = now() where shop_id = :shop and id = :account`,
    { account },
  )
  return insertConnection(scope, account, attempt, { refused: null, process })
}

export interface ReceivedFiles {
  files: number
  bytes: number
}

/** Records what a connection has received since the last record. */
export const recordReceived = async (
  scope: ShopScope,
  { id, account, ended }: { id: string; account: string; ended: boolean },
  { files, bytes }: ReceivedFiles,
): Promise<void> =>
  void (await scope.query(
    `with counted as (
       update drop_accounts set received_files = received_files + :files,
         received_bytes = received_bytes + :bytes
       where shop_id = :shop and id = :account and :files::int > 0
     )
     update drop_connections set files = files + :files, bytes = bytes + :bytes,
       ended_at = case when :ended::boolean then now() end where shop_id = :shop and id = :id`,
    { id, account, ended, files, bytes },
  ))

/** Ends connections of processes that have died. */
export async function endLost({ pool }: Database): Promise<void> {
  await pool.query(
    `update drop_connections set ended_at = now()
     where ended_at is null and ${isGone('drop_connections.process')}`,
  )
}

export type Refusal =
  | 'wrong password'
  | 'wrong key'
  | 'unknown username'
  | 'address not allowed'
  | 'address banned'
  | 'account switched off'
  | 'TLS required'
  | 'too many connections'
export interface Attempt {
  username: string
  address: string
  protocol: 'sftp' | 'ftp' | 'ftps'
}
