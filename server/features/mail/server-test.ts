// The check of a shop's own mail server: a mail with a code, which the merchant types in. Without it
// nobody would know whether mails of this server arrive.
import { say } from '../../../plugins/contract.ts'
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'

export interface ServerTest {
  /** An HMAC of the code. */
  hash: string
  /** ISO 8601. */
  expires_at: string
  /** Wrong codes so far. */
  wrong: number
  to: string
}

const DIGITS = 6
const VALID_MS = 60 * 60 * 1000
const MAX_WRONG = 5

export const newTestCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')

const hashOf = ({ lookupKey }: Pick<Secrets, 'lookupKey'>, shop: number, code: string): Buffer =>
  createHmac('sha256', lookupKey('mail-test')).update(`${shop}/${code}`).digest()

export async function saveServerTest(
  scope: ShopScope,
  { secrets, code, to, now }: { secrets: Secrets; code: string; to: string; now: Date },
): Promise<void> {
  const test: ServerTest = {
    ...{ hash: hashOf(secrets, scope.shop, code).toString('base64'), wrong: 0, to },
    expires_at: new Date(now.getTime() + VALID_MS).toISOString(),
  }
  await scope.query('update mail_settings set server_test = :test where shop_id = :shop', {
    test: JSON.stringify(test),
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
    ...{ message, param: 'code' },
    details: [{ param: 'code', code: 'wrong_code', message }],
  })
}
