// Rows about requests of buyers that are written after the responses, in batches. A killed process
// loses those of the last seconds, and so does a database that stays unavailable.
import { isDatabaseUnavailable } from '../../core/db/error-classes.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { singleFlight } from '../../core/lazy.ts'

const FLUSH_MS = 1000
/** The longest queue while the database is slow; further rows are dropped. */
const MAX_WAITING = 5000
const ROWS = 1000

export interface WaitingRowsOptions<Row> {
  /** What the rows are, for the log: `refused downloads`. */
  about: string
  log: Logger
  write: (rows: readonly Row[]) => Promise<void>
}

export class WaitingRows<Row extends object> {
  /** Writes the queue; failures are logged. */
  readonly flush = singleFlight(() => this.#writeAll())
  readonly #options: WaitingRowsOptions<Row>
  #waiting = new Map<string, Row>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: WaitingRowsOptions<Row>) {
    this.#options = options
  }

  /** @param row is called with the row of the same key that waits already. */
  add(key: string, row: (known: Row | undefined) => Row): void {
    const known = this.#waiting.get(key)
    if (known || this.#waiting.size < MAX_WAITING) this.#waiting.set(key, row(known))
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  async #writeAll(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const waiting = this.#waiting
    if (waiting.size === 0) return
    this.#waiting = new Map()
    const rows = [...waiting.values()]
    const { about, log, write } = this.#options
    for (let at = 0; at < rows.length; at += ROWS) {
      try {
        await write(rows.slice(at, at + ROWS))
      } catch (error) {
        log.warn(`${about} were not recorded`, errorFields(error))
        // While the database is away, later rows need the room.
        if (isDatabaseUnavailable(error)) return
      }
    }
  }
}
