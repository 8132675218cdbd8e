// The account with which demo mode shows the drop server.
import type { DropAddress } from '../../core/configuration/drop-settings.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { isPassword } from '../../core/passwords.ts'
import { createAccount, findByUsername } from './accounts.ts'
import { homeOf } from './paths.ts'

export interface DemoDrop {
  host: string
  sftp_port: number
  ftp_port: number
  username: string
  password: string
  path: string
}

/** The account of the previous start, if its password still works. */
export async function demoAccount(
  database: Database,
  shop: number,
  { host, sftpPort, ftpPort, schedule }: DropAddress,
  before: DemoDrop | undefined,
): Promise<DemoDrop> {
  const about = { host, sftp_port: sftpPort, ftp_port: ftpPort, path: `${homeOf(shop)}/` }
  const known = before ? await findByUsername(database, before.username) : null
  if (before && known?.shop_id === shop && (await isPassword(before.password, known.password)))
    return { ...about, username: before.username, password: before.password }
  const { account, password } = await createAccount(
    forShop(database, shop),
    { name: 'Demo' },
    schedule,
  )
  return { ...about, username: account.username, password }
}
