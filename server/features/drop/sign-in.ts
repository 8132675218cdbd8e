// Signs clients in. The address is checked before the password, and failures are counted in the
// database, for all processes.
import { timingSafeEqual } from 'node:crypto'
import { networkOf } from '../../core/client-address.ts'
import type { Database } from '../../core/db/database.ts'
import type { Logger } from '../../core/log.ts'
import { openRateLimit, type RateLimit } from '../../core/db/callers.ts'
import { hashPassword, isPassword } from '../../core/passwords.ts'
import { isAllowed } from './addresses.ts'
import { findByUsername, type KnownAccount } from './accounts.ts'
import { recordRefusal, type Attempt, type Refusal } from './connections.ts'
import type { Refusals } from './refusals.ts'

export type SignInResult = { account: KnownAccount } | { refused: Refusal }

export interface SignIn {
  /** Is this address banned? Must be called before anything is read from it. */
  isBanned(address: string): Promise<boolean>
  byPassword(attempt: Attempt, password: string): Promise<SignInResult>
  /**
   * Signs in with a key. `blob`: the key that the client offers. `verify` is called only if the
   * account has the key; null: the client only asks whether it would be accepted.
   */
  byKey(attempt: Attempt, blob: Buffer, verify: (() => boolean) | null): Promise<SignInResult>
}

/** The maximum number of failures of one network. */
const MAX_FAILURES = 10
/** The maximum number of failures of one account, from all networks. */
const MAX_ACCOUNT_FAILURES = 100
const WITHIN_SECONDS = 600
const BAN_SECONDS = 1800

export const createSignIn = (database: Database, log: Logger, refusals: Refusals): SignIn =>
  new LimitedSignIn(database, log, refusals)

/** Limits the failures of each network and of each account. */
class LimitedSignIn implements SignIn {
  readonly #database: Database
  readonly #log: Logger
  readonly #refusals: Refusals
  readonly #failures: ReturnType<typeof openRateLimit>
  readonly #accountFailures: ReturnType<typeof openRateLimit>
  readonly #ofNetwork: ReturnType<typeof createGuessGate>
  readonly #ofAccount: ReturnType<typeof createGuessGate>
  /** An unknown name takes as long as a wrong password, so that the time reveals nothing. */
  readonly #decoyHash = hashPassword('')

  constructor(database: Database, log: Logger, refusals: Refusals) {
    this.#database = database
    this.#log = log
    this.#refusals = refusals
    this.#failures = openRateLimit(database.pool, {
      name: 'drop-failures',
      points: MAX_FAILURES,
      seconds: WITHIN_SECONDS,
      blockSeconds: BAN_SECONDS,
    })
    this.#accountFailures = openRateLimit(database.pool, {
      name: 'drop-account-failures',
      points: MAX_ACCOUNT_FAILURES,
      seconds: WITHIN_SECONDS,
    })
    this.#ofNetwork = createGuessGate(this.#failures, MAX_FAILURES)
    this.#ofAccount = createGuessGate(this.#accountFailures, MAX_ACCOUNT_FAILURES)
  }

  async isBanned(address: string): Promise<boolean> {
    const banned = (await this.#failures.consumed(networkOf(address))) >= MAX_FAILURES
    if (banned) this.#refusals.count('banned')
    return banned
  }

  byPassword(attempt: Attempt, password: string): Promise<SignInResult> {
    return this.#guarded(attempt, async () => {
      const account = await findByUsername(this.#database, attempt.username)
      const refused = account && refusalOf(account, attempt)
      // Compared in any case: the time must not tell what is wrong.
      const right = await isPassword(password, account?.password ?? (await this.#decoyHash))
      if (!account) return this.#refuse(attempt, null, 'unknown username')
      if (refused) return this.#refuse(attempt, account, refused)
      return right ? { account } : this.#refuse(attempt, account, 'wrong password')
    })
  }

  byKey(attempt: Attempt, blob: Buffer, verify: (() => boolean) | null): Promise<SignInResult> {
    return this.#guarded(attempt, async () => {
      const account = await findByUsername(this.#database, attempt.username)
      if (!account) return { refused: 'unknown username' }
      const refused = refusalOf(account, attempt)
      if (refused) return this.#refuse(attempt, account, refused)
      // A client offers all its keys in turn: an unknown key is not a failure.
      if (!account.public_keys.some((key) => isSame(Buffer.from(key.blob, 'base64'), blob)))
        return { refused: 'wrong key' }
      if (verify && !verify()) return this.#refuse(attempt, account, 'wrong key')
      return { account }
    })
  }

  /** Compares when it may begin; refuses if the network or the account has failed too often. */
  async #guarded(
    { address, username }: Attempt,
    compare: () => Promise<SignInResult>,
  ): Promise<SignInResult> {
    const ends: (() => void)[] = []
    try {
      for (const enter of [
        () => this.#ofNetwork.enter(networkOf(address)),
        () => this.#ofAccount.enter(username),
      ]) {
        const end = await enter()
        if (!end) {
          this.#refusals.count('banned')
          return { refused: 'address banned' }
        }
        ends.push(end)
      }
      return await compare()
    } finally {
      for (const end of ends) end()
    }
  }

  async #refuse(
    attempt: Attempt,
    account: KnownAccount | null,
    refused: Refusal,
  ): Promise<SignInResult> {
    this.#refusals.count('sign_in')
    if (refused !== 'TLS required') await this.#countFailure(attempt)
    const { address, protocol } = attempt
    // Log only known usernames: an unknown name may be a password.
    const about = { address, protocol, username: account?.username ?? null }
    this.#log.info('drop: refused', { ...about, account: account?.id ?? null, reason: refused })
    if (account) await recordRefusal(this.#database, account, attempt, refused)
    return { refused }
  }

  async #countFailure({ address, username }: Attempt): Promise<void> {
    const network = networkOf(address)
    const [{ consumedPoints }] = await Promise.all([
      this.#failures.consume(network),
      this.#accountFailures.consume(username),
    ])
    if (consumedPoints === MAX_FAILURES) await this.#failures.block(network, BAN_SECONDS)
  }
}

/** The refusal before any password is checked; null: none. */
function refusalOf(account: KnownAccount, { address, protocol }: Attempt): Refusal | null {
  if (!isAllowed(address, account.allowed_addresses)) return 'address not allowed'
  if (!account.enabled || !account.shop_enabled) return 'account switched off'
  return account.tls_required && protocol === 'ftp' ? 'TLS required' : null
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

// Lets attempts to sign in begin only as long as they may all fail: concurrent attempts cannot be
// more than the limit of failures. Others wait for them.

export interface GuessGate {
  /**
   * Waits until the attempt may begin, and returns a function for its end; null: too many have
   * failed. A failure must be counted before the end.
   */
  enter(key: string): Promise<(() => void) | null>
}

interface Entry {
  running: number
  /** How many attempts have ended, to notice one that ended during a query. */
  ended: number
  waiting: (() => void)[]
}

/**
 * Creates the gate of this process: other processes see its failures, and not its running attempts.
 */
export function createGuessGate(failures: Pick<RateLimit, 'consumed'>, max: number): GuessGate {
  const entries = new Map<string, Entry>()
  const end = (key: string, entry: Entry) => {
    entry.running--
    entry.ended++
    for (const wake of entry.waiting.splice(0)) wake()
    if (entry.running === 0 && entries.get(key) === entry) entries.delete(key)
  }
  return {
    enter: async (key) => {
      while (true) {
        const entry = entries.get(key) ?? { running: 0, ended: 0, waiting: [] }
        entries.set(key, entry)
        const { ended } = entry
        const failed = await failures.consumed(key)
        if (entries.get(key) !== entry || entry.ended !== ended) continue
        if (failed >= max) {
          if (entry.running === 0) entries.delete(key)
          return null
        }
        if (failed + entry.running < max) {
          entry.running++
          return () => end(key, entry)
        }
        await new Promise<void>((resolve) => void entry.waiting.push(resolve))
      }
    },
  }
}
