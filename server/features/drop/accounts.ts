// Drop accounts: rows of a shop, and the look-up by username that identifies the shop of a
// connection.
import { randomBytes } from 'node:crypto'
import type { Database } from '../../core/db/database.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { NameEncoding } from '../../../plugins/_page/name-encodings.ts'
import type { DropAddress } from '../../core/configuration/drop-settings.ts'
import { hashPassword, newPassword } from '../../core/passwords.ts'
import { ensureSettings } from './settings.ts'

export interface PublicKey {
  name: string
  type: string
  /** The fingerprint in the form of ssh-keygen: `SHA256:…`. */
  fingerprint: string
  /** The key in the wire format, base64. */
  blob: string
}

export interface DropAccount {
  id: string
  name: string
  username: string
  password_changed_at: Date
  public_keys: PublicKey[]
  enabled: boolean
  allowed_addresses: string[]
  name_encoding: NameEncoding
  created_at: Date
  last_used_at: Date | null
}

const ACCOUNT = `id, name, username, password_changed_at, public_keys, enabled, allowed_addresses, name_encoding, created_at, last_used_at`

export const listAccounts = (scope: ShopScope): Promise<DropAccount[]> =>
  scope.query<DropAccount>(`select ${ACCOUNT} from drop_accounts where shop_id = :shop order by id`)

export const readAccount = (scope: ShopScope, id: string): Promise<DropAccount | null> =>
  scope.first<DropAccount>(
    `select ${ACCOUNT} from drop_accounts where shop_id = :shop and id = :id`,
    { id },
  )

export interface AccountFields {
  name?: string | undefined
  enabled?: boolean | undefined
  allowed_addresses?: string[] | undefined
  public_keys?: PublicKey[] | undefined
  name_encoding?: NameEncoding | undefined
}

/** Creates an account. Only the result contains the password. */
export async function createAccount(
  scope: ShopScope,
  {
    name,
    enabled = true,
    allowed_addresses = [],
    public_keys = [],
    name_encoding = 'utf-8',
  }: AccountFields & { name: string },
  schedule: DropAddress['schedule'],
): Promise<{ account: DropAccount; password: string }> {
  const password = newPassword()
  await ensureSettings(scope, schedule)
  const account = await scope.one<DropAccount>(
    `insert into drop_accounts (shop_id, name, username, password, enabled, allowed_addresses,
       public_keys, name_encoding)
     values (:shop, :name, :username, :hash, :enabled, :allowed_addresses, :keys::jsonb,
       :name_encoding)
       returning ${ACCOUNT}`,
    {
      name,
      enabled,
      allowed_addresses,
      name_encoding,
      keys: JSON.stringify(public_keys),
      username: `drop-${randomBytes(5).toString('hex')}`,
      hash: await hashPassword(password),
    },
  )
  return { account: account, password }
}

/** Changes an account; absent fields stay unchanged. Null: there is no such account. */
export async function changeAccount(
  scope: ShopScope,
  id: string,
  fields: AccountFields,
): Promise<DropAccount | null> {
  const row = await scope.first<DropAccount>(
    `update drop_accounts set name = coalesce(:name, name), enabled = coalesce(:enabled, enabled),
       allowed_addresses = coalesce(:addresses::text[], allowed_addresses),
       public_keys = coalesce(:keys::jsonb, public_keys),
       name_encoding = coalesce(:name_encoding, name_encoding)
     where shop_id = :shop and id = :id returning ${ACCOUNT}`,
    {
      id,
      name: fields.name ?? null,
      enabled: fields.enabled ?? null,
      addresses: fields.allowed_addresses ?? null,
      name_encoding: fields.name_encoding ?? null,
      keys: fields.public_keys ? JSON.stringify(fields.public_keys) : null,
    },
  )
  if (row) await endSessions(scope, id)
  return row
}

/** Sets a new password; the old one stops working, and sessions end. */
export async function changePassword(
  scope: ShopScope,
  id: string,
): Promise<{ account: DropAccount; password: string } | null> {
  const password = newPassword()
  const account = await scope.first<DropAccount>(
    `update drop_accounts set password = :hash, password_changed_at = now() where shop_id = :shop
       and id = :id
     returning ${ACCOUNT}`,
    { id, hash: await hashPassword(password) },
  )
  if (!account) return null
  await endSessions(scope, id)
  return { account, password }
}

/** Throws `not_found`. */
export async function deleteAccount(scope: ShopScope, id: string): Promise<void> {
  await deleteRow(scope, 'drop_accounts', id)
  await endSessions(scope, id)
}

/** Notifies every process of the drop server. */
const endSessions = (scope: ShopScope, account: string): Promise<unknown> =>
  scope.query(`select pg_notify('drop_control', :message) from shops where id = :shop`, {
    message: `account ${account}`,
  })

/** The fields that a sign-in needs. */
export interface KnownAccount {
  id: string
  shop_id: number
  name: string
  username: string
  password: string
  enabled: boolean
  shop_enabled: boolean
  tls_required: boolean
  allowed_addresses: string[]
  public_keys: PublicKey[]
  name_encoding: NameEncoding
}

/** Finds the account of a username across shops: usernames are unique. */
export async function findByUsername(
  { pool }: Database,
  username: string,
): Promise<KnownAccount | null> {
  if (username.length > 64 || username.includes('\0')) return null
  const { rows } = await pool.query<KnownAccount>({
    name: 'find-drop-account',
    text: `select a.id, a.shop_id, a.name, a.username, a.password, a.enabled, a.allowed_addresses,
             a.public_keys, a.name_encoding,
             coalesce(d.enabled, true) as shop_enabled,
             coalesce(d.tls_required, false) as tls_required
           from drop_accounts a join shops s on s.id = a.shop_id left join drop_settings d
             on d.shop_id = a.shop_id
           where a.username = $1 and s.uninstalled_at is null`,
    values: [username],
  })
  return rows[0] ?? null
}
