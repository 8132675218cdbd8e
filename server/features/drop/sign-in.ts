// Signs clients in. The address is checked before the password, and failures are counted in the
// database, for all processes.
import { timingSafeEqual } from 'node:crypto'
import { networkOf } from '../../core/client-address.ts'
import type { Database } from '../../core/db/database.ts'
import type { Logger } from '../../core/log.ts'
import { openRateLimit } from '../../core/db/rate-limits.ts'
import { isAllowed } from './addresses.ts'
import { findByUsername, type KnownAccount } from './accounts.ts'
import { recordRefusal, type Attempt, type Refusal } from './connections.ts'
import { createGuessGate } from './guess-gate.ts'
import type { Refusals } from './refusals.ts'
import { hashPassword, isPassword } from './passwords.ts'

export type SignedIn = { account: KnownAccount } | { refused: Refusal }

export interface SignIn {
  /** Is this address banned? Called before anything is read from it. */
  isBanned(address: string): Promise<boolean>
  byPassword(attempt: Attempt, password: string): Promise<SignedIn>
  /**
   * `blob`: the key that the client offers. `verify` is called only if the account has the key;
   * null: the client only asks whether it would be accepted.
   */
  byKey(attempt: Attempt, blob: Buffer, verify: (() => boolean) | null): Promise<SignedIn>
}

/** Of one network. */
const MAX_FAILURES = 10
/** Of one account, from all networks. */
const MAX_ACCOUNT_FAILURES = 100
const WITHIN_SECONDS = 600
const BAN_SECONDS = 1800

export function createSignIn(database: Database, log: Logger, refusals: Refusals): SignIn {
  const failures = openRateLimit(database.pool, {
    name: 'drop-failures',
    points: MAX_FAILURES,
    seconds: WITHIN_SECONDS,
    blockSeconds: BAN_SECONDS,
  })
  const accountFailures = openRateLimit(database.pool, {
    name: 'drop-account-failures',
    points: MAX_ACCOUNT_FAILURES,
    seconds: WITHIN_SECONDS,
  })
  // An unknown name takes as long as a wrong password, so that the time reveals nothing.
  const decoyHash = hashPassword('')
  const ofNetwork = createGuessGate(failures, MAX_FAILURES)
  const ofAccount = createGuessGate(accountFailures, MAX_ACCOUNT_FAILURES)
  /** Compares when it may begin; refuses if the network or the account has failed too often. */
  const guarded = async (
    { address, username }: Attempt,
    compare: () => Promise<SignedIn>,
  ): Promise<SignedIn> => {
    const ends: (() => void)[] = []
    try {
      for (const enter of [
        () => ofNetwork.enter(networkOf(address)),
        () => ofAccount.enter(username),
      ]) {
        const end = await enter()
        if (!end) {
          refusals.count('banned')
          return { refused: 'address banned' }
        }
        ends.push(end)
      }
      return await compare()
    } finally {
      for (const end of ends) end()
    }
  }
  const countFailure = async ({ address, username }: Attempt) => {
    const network = networkOf(address)
    const [{ consumedPoints }] = await Promise.all([
      failures.consume(network),
      accountFailures.consume(username),
    ])
    if (consumedPoints === MAX_FAILURES) await failures.block(network, BAN_SECONDS)
  }
  const isBanned = async (address: string) => {
    const banned = (await failures.consumed(networkOf(address))) >= MAX_FAILURES
    if (banned) refusals.count('banned')
    return banned
  }
  const refuse = async (
    attempt: Attempt,
    account: KnownAccount | null,
    refused: Refusal,
  ): Promise<SignedIn> => {
    refusals.count('sign_in')
    if (refused !== 'TLS required') await countFailure(attempt)
    const { address, protocol } = attempt
    // Log only known usernames: an unknown name may be a password.
    const about = { address, protocol, username: account?.username ?? null }
    log.info('drop: refused', { ...about, account: account?.id ?? null, reason: refused })
    if (account) await recordRefusal(database, account, attempt, refused)
    return { refused }
  }
  /** The refusal before any password is checked; null: none. */
  const early = (account: KnownAccount, { address, protocol }: Attempt): Refusal | null => {
    if (!isAllowed(address, account.allowed_addresses)) return 'address not allowed'
    if (!account.enabled || !account.shop_enabled) return 'account switched off'
    return account.tls_required && protocol === 'ftp' ? 'TLS required' : null
  }
  return {
    isBanned,
    byPassword: (attempt, password) =>
      guarded(attempt, async () => {
        const account = await findByUsername(database, attempt.username)
        const refused = account && early(account, attempt)
        // Compared in any case: the time must not tell what is wrong.
        const right = await isPassword(password, account?.password ?? (await decoyHash))
        if (!account) return refuse(attempt, null, 'unknown username')
        if (refused) return refuse(attempt, account, refused)
        return right ? { account } : refuse(attempt, account, 'wrong password')
      }),
    byKey: (attempt, blob, verify) =>
      guarded(attempt, async () => {
        const account = await findByUsername(database, attempt.username)
        if (!account) return { refused: 'unknown username' }
        const refused = early(account, attempt)
        if (refused) return refuse(attempt, account, refused)
        // A client offers all its keys in turn: an unknown key is not a failure.
        if (!account.public_keys.some((key) => isSame(Buffer.from(key.blob, 'base64'), blob)))
          return { refused: 'wrong key' }
        if (verify && !verify()) return refuse(attempt, account, 'wrong key')
        return { account }
      }),
  }
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)
