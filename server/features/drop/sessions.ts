// The sessions of this process: counted and limited, recorded for the merchant, and ended when
// their account changes.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Listener } from '../../core/db/listener.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { findByUsername, type KnownAccount } from './accounts.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { recordConnection, recordReceived, recordRefusal, type Attempt } from './connections.ts'
import type { Refusals } from './refusals.ts'
import { createReceived, type RecentFiles } from './received.ts'
import { createDropFs, type DropFs } from './vfs.ts'
import type { Transfer, TransferParts } from './transfer.ts'
import type { Transfers } from './transfers.ts'

export interface Session {
  fs: DropFs
  account: KnownAccount
  /** Registers a file that is written; the end of the session interrupts it. */
  write(open: Promise<Transfer>): Promise<Transfer>
  /** The client has sent all of the file: the end of the session waits for `closed` instead. */
  closing(transfer: Transfer, closed: Promise<void>): void
  /** Records that a file was received completely. */
  received(bytes: number): void
  /** Must be called when the connection has ended. Idempotent. */
  end(): Promise<void>
}

export interface Sessions {
  /**
   * Opens a session. `kick` ends its connection. Throws `SessionLimit` if the account has too many.
   */
  open(account: KnownAccount, attempt: Attempt, kick: () => void): Promise<Session>
  close(): Promise<void>
}

const isSftp = (protocol: Attempt['protocol']) => protocol === 'sftp'

export class SessionLimit extends Error {}

/** How long received files are gathered before a connection's row is updated. */
const RECORD_MS = 1000

interface Live {
  account: KnownAccount
  protocol: Attempt['protocol']
  kick: () => void
}

export interface SessionParts extends TransferParts {
  database: Database
  listener: Listener
  log: Logger
  connectionLimits: ConnectionLimits
  refusals: Refusals
}

export function createSessions(parts: SessionParts, transfers: Transfers): Sessions {
  const received = createReceived()
  const live = new Set<Live>()
  const warn = (error: unknown) =>
    parts.log.warn('a drop connection could not be recorded', errorFields(error))
  const endIfChanged = async (one: Live) => {
    const now = await findByUsername(parts.database, one.account.username)
    if (!now || JSON.stringify(now) !== JSON.stringify(one.account)) one.kick()
  }
  /**
   * Ends sessions whose account has changed since they were opened. One that cannot be checked ends
   * too.
   */
  const endChanged = (matches: (account: KnownAccount) => boolean) => {
    for (const one of live)
      if (matches(one.account))
        endIfChanged(one).catch((error: unknown) => {
          warn(error)
          one.kick()
        })
  }
  /** Checks all sessions after missed notifications. */
  const recheck = async () => {
    for (const one of live) await endIfChanged(one)
  }
  const stop = parts.listener.on('drop_control', (payload) => {
    if (payload === null) return void recheck().catch(warn)
    const [what, id] = payload.split(' ')
    if (what === 'account') endChanged((account) => account.id === id)
    if (what === 'shop') endChanged((account) => String(account.shop_id) === id)
  })
  return {
    open: async (account, attempt, kick) => {
      const reason = limitReached(parts.connectionLimits, live, account, attempt)
      if (reason !== null) {
        parts.refusals.count('sessions')
        await recordRefusal(parts.database, account, attempt, 'too many connections').catch(warn)
        throw new SessionLimit(reason)
      }
      const one: Live = { account, protocol: attempt.protocol, kick }
      live.add(one)
      // It may have changed since the sign-in read it, before this session could be ended.
      endChanged((known) => known === account)
      const forget = () => void live.delete(one)
      return openSession(parts, { transfers, received, warn }, { account, attempt, forget })
    },
    close: async () => {
      stop()
      for (const one of live) one.kick()
    },
  }
}

/** Why the account cannot have another session, for its client; null: it can. */
function limitReached(
  { perAccount, perProtocol }: ConnectionLimits,
  live: ReadonlySet<Live>,
  account: KnownAccount,
  { protocol }: Attempt,
): string | null {
  const own = [...live].filter((one) => one.account.id === account.id)
  if (own.length >= perAccount)
    return `This account has ${perAccount} connections: close some first`
  const others = [...live].filter((one) => isSftp(one.protocol) === isSftp(protocol))
  return others.length >= perProtocol
    ? 'The server has too many connections: try again later'
    : null
}

interface SharedParts {
  transfers: Transfers
  /** The files that all sessions of this process received lately. */
  received: RecentFiles
  warn: (error: unknown) => void
}

interface NewSession {
  account: KnownAccount
  attempt: Attempt
  /** Called when the session ends. */
  forget: () => void
}

function openSession(
  parts: SessionParts,
  { transfers, received, warn }: SharedParts,
  { account, attempt, forget }: NewSession,
): Session {
  const { database, log } = parts
  const scope = forShop(database, account.shop_id)
  const { protocol } = attempt
  const about = { account: account.id, username: account.username, protocol }
  const recorded = recordConnection(scope, account.id, attempt, transfers.process).catch(
    (error: unknown): void => warn(error),
  )
  log.info('drop: connected', { ...about, address: attempt.address })
  const owner = { shop: account.shop_id, account: account.id, protocol }
  const writing = new Set<Transfer>()
  const closing = new Set<Promise<void>>()
  const tally = createTally(scope, account.id, recorded, warn)
  let ended: Promise<void> | null = null
  const end = async () => {
    forget()
    await Promise.allSettled([...[...writing].map((transfer) => transfer.abandon()), ...closing])
    log.info('drop: disconnected', { ...about, ...tally.counts })
    await tally.flush(true)
  }
  return {
    fs: createDropFs(parts, transfers, received, owner),
    account,
    write: async (open) => {
      const transfer = await open
      const done = () => writing.delete(transfer)
      const own: Transfer = {
        ...transfer,
        close: () => transfer.close().finally(done),
        abandon: () => transfer.abandon().finally(done),
      }
      writing.add(own)
      if (ended) await own.abandon()
      return own
    },
    closing: (transfer, closed) => {
      writing.delete(transfer)
      closing.add(closed)
      void closed.then(() => closing.delete(closed))
    },
    received: (bytes) => {
      tally.add(bytes)
      log.info('drop: received a file', { ...about, bytes })
    },
    end: () => (ended ??= end()),
  }
}

/** Counts the files and bytes of a connection. They are written to its row within a second. */
function createTally(
  scope: ShopScope,
  account: string,
  recorded: Promise<string | void>,
  warn: (error: unknown) => void,
) {
  const counts = { files: 0, bytes: 0 }
  const written = { files: 0, bytes: 0 }
  let timer: NodeJS.Timeout | null = null
  const flush = async (ended: boolean) => {
    if (timer) clearTimeout(timer)
    timer = null
    const id = await recorded
    const since = { files: counts.files - written.files, bytes: counts.bytes - written.bytes }
    Object.assign(written, counts)
    if (id) await recordReceived(scope, { id, account, ended }, since).catch(warn)
  }
  return {
    counts,
    flush,
    add: (bytes: number) => {
      counts.files++
      counts.bytes += bytes
      timer ??= setTimeout(() => void flush(false), RECORD_MS).unref()
    },
  }
}
