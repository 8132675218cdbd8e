// Addresses that this server will post to are checked when they are given, not only when the first
// message fails.
import { say } from '../../plugins/contract.ts'
import { AppError } from '../core/errors.ts'
import type { GuardedClient } from '../ports/guarded-fetch.ts'

export type Reach = GuardedClient['reach']

/** Throws `validation_failed` with one text for every reason: it reveals no name of this network. */
export async function requireReachable(
  reach: Reach,
  param: string,
  url: string | undefined,
): Promise<void> {
  if (url === undefined) return
  await reach(url).catch((cause: unknown) => {
    const code = 'url_not_accessible'
    const message = say(
      'This server cannot send to this address: use one on the public internet, on port 80 or 443',
    )
    throw new AppError('validation_failed', {
      param,
      message,
      cause,
      details: [{ param, code, message }],
    })
  })
}
