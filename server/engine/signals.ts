// Announces progress at most twice a second, of all operations of the process in one transaction,
// outside the transactions that write outcomes: NOTIFY locks the whole database at commit.
import type { Database } from '../core/db/database.ts'

const EVERY_MS = 500

export interface Progress {
  /** Announces within half a second that the operation's counts have changed. */
  announce(shop: number, operation: string): void
  /** Announces immediately that the operation has ended. */
  announceEnd(shop: number, operation: string): Promise<void>
  close(): void
}

export function createProgress(database: Database): Progress {
  const due = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  const send = (messages: readonly string[]) =>
    database.pool
      .query(`select pg_notify('operation_progress', message) from unnest($1::text[]) as message`, [
        messages,
      ])
      .then(() => {})
      // A hint may be lost: readers also poll.
      .catch(() => {})
  const sendDue = () => {
    timer = null
    const messages = [...due]
    due.clear()
    if (messages.length > 0) void send(messages)
  }
  return {
    announce: (shop, operation) => {
      due.add(`${shop}/${operation}`)
      timer ??= setTimeout(sendDue, EVERY_MS)
    },
    announceEnd: (shop, operation) => {
      const message = `${shop}/${operation}`
      due.delete(message)
      return send([message])
    },
    close: () => {
      if (timer) clearTimeout(timer)
    },
  }
}
