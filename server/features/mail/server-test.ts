// The check of a shop's own mail server: a mail with a code, which the merchant types in. Without it
// nobody would know whether mails of this server arrive.
import { say } from '../../../plugins/contract/index.ts'
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { ServerTest, ShopMailServer } from './settings.ts'

const DIGITS = 6
const VALID_MS = 60 * 60 * 1000
const MAX_WRONG = 5

export const newTestCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')

const hashOf = ({ lookupKey }: Pick<Secrets, 'lookupKey'>, shop: number, code: string): Buffer =>
  createHmac('sha256', lookupKey('mail-test')).update(`${shop}/${code}`).digest()

/** Throws `conflict` if the server that was tested is not the saved one any more. */
export async function saveServerTest(
  scope: ShopScope,
  {
    secrets,
    server,
    password,
    code,
    to,
    now,
  }: {
    secrets: Secrets
    server: ShopMailServer
    password: Buffer | null
    code: string
    to: string
    now: Date
  },
): Promise<void> {
  const test: ServerTest = {
    hash: hashOf(secrets, scope.shop, code).toString('base64'),
    wrong: 0,
    to,
    expires_at: new Date(now.getTime() + VALID_MS).toISOString(),
  }
  const rows = await scope.query(
    `update mail_settings set server_test = :test
     where shop_id = :shop and server = :server::jsonb
       and server_password is not distinct from :password::bytea returning 1`,
    { test: JSON.stringify(test), server: JSON.stringify(server), password },
  )
  if (rows.length === 0)
    throw new AppError('conflict', {
      message: say('The server was changed while the test mail was sent: send another one'),
    })
}

/** Confirms the server, and uses it from now on. Throws `wrong_code`. */
export async function confirmServer(
  scope: ShopScope,
  { secrets, code, now }: { secrets: Secrets; code: string; now: Date },
): Promise<void> {
  const isRight = await scope.transaction(async (tx) => {
    const [row] = await tx.query<{ test: ServerTest | null }>(
      'select server_test as test from mail_settings where shop_id = :shop for update',
    )
    const test = row?.test
    if (!test || test.wrong >= MAX_WRONG || new Date(test.expires_at) <= now) return null
    if (timingSafeEqual(Buffer.from(test.hash, 'base64'), hashOf(secrets, tx.shop, code.trim()))) {
      await tx.query(
        `update mail_settings set server_test = null, server_confirmed_at = :now,
           sender = sender || '{"way": "server"}' where shop_id = :shop`,
        { now },
      )
      return true
    }
    await tx.query('update mail_settings set server_test = :test where shop_id = :shop', {
      test: JSON.stringify({ ...test, wrong: test.wrong + 1 }),
    })
    return false
  })
  if (isRight) return
  const message =
    isRight === null
      ? say('This code does not count any more: send another test mail')
      : say('This is not the code of the last test mail')
  throw new AppError('wrong_code', {
    message,
    param: 'code',
    details: [{ param: 'code', code: 'wrong_code', message }],
  })
}
