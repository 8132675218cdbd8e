// Announces progress at most twice a second for each operation, outside the transactions that write
// outcomes: NOTIFY locks the whole database at commit.
import type { Database } from '../../core/db/database.ts'

const EVERY_MS = 500

export interface Progress {
  /** Announces within half a second that the operation's counts have changed. */
  announce(shop: number, operation: string): void
  /** Announces immediately that the operation has ended. */
  announceEnd(shop: number, operation: string): Promise<void>
  close(): void
}

export function createProgress(database: Database): Progress {
  const due = new Map<string, NodeJS.Timeout>()
  const send = (shop: number, operation: string) =>
    database.pool
      .query(`select pg_notify('operation_progress', $1)`, [`${shop}/${operation}`])
      .then(() => {})
      // A hint may be lost: readers also poll.
      .catch(() => {})
  return {
    announce: (shop, operation) => {
      if (due.has(operation)) return
      const timer = setTimeout(() => {
        due.delete(operation)
        void send(shop, operation)
      }, EVERY_MS)
      due.set(operation, timer)
    },
    announceEnd: (shop, operation) => {
      clearTimeout(due.get(operation))
      due.delete(operation)
      return send(shop, operation)
    },
    close: () => due.forEach((timer) => clearTimeout(timer)),
  }
}
