// Reads a report with a cursor: the database groups and sorts it, and this process holds one page.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { AppError } from '../../core/errors.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { isStatementTimeout } from '../../core/db/error-classes.ts'
import type { Statement } from './report-sql.ts'

export type ReportRow = Readonly<Record<string, string | number | null>>

const PAGE = 1000
/** Each statement: the first one groups all rows. */
const STATEMENT_SECONDS = 60
/** The whole report: a client that reads slowly holds a connection no longer. */
const REPORT_MS = 10 * 60 * 1000
/** Reports of one process at a time, each of another shop: each holds a connection. */
const AT_ONCE = 2
const RETRY_SECONDS = 10

/** The reports that this process makes. */
export class RunningReports {
  readonly #shops = new Set<number>()

  /**
   * Resolves with the pages when the first one is there. Throws `report_busy`, and
   * `report_too_large` if it takes too long; after the first page such an error ends the iteration.
   */
  async open(
    scope: ShopScope,
    statement: Statement,
    signal: AbortSignal,
    seconds = STATEMENT_SECONDS,
  ): Promise<AsyncIterable<readonly ReportRow[]>> {
    const { shop } = scope
    if (this.#shops.has(shop) || this.#shops.size >= AT_ONCE)
      throw new AppError('report_busy', { retryAfter: RETRY_SECONDS })
    this.#shops.add(shop)
    const pages = new PassThrough({ objectMode: true, highWaterMark: 1 })
    const bound = AbortSignal.any([signal, AbortSignal.timeout(REPORT_MS)])
    const stop = () => pages.destroy(bound.reason as Error)
    bound.addEventListener('abort', stop)
    void readPages(scope, statement, pages, seconds)
      .then(
        () => pages.end(),
        (error: unknown) => pages.destroy(error as Error),
      )
      .finally(() => {
        this.#shops.delete(shop)
        bound.removeEventListener('abort', stop)
      })
    return begun(pages)
  }
}

/** The pages, when the first one was read. */
async function begun(pages: PassThrough): Promise<AsyncIterable<readonly ReportRow[]>> {
  const iterator = pages[Symbol.asyncIterator]() as AsyncIterator<readonly ReportRow[]>
  const first = await iterator.next()
  return (async function* () {
    try {
      for (let page = first; page.done !== true; page = await iterator.next()) yield page.value
    } finally {
      pages.destroy()
    }
  })()
}

/** Writes each page when the one before it was taken. Returns early if nobody reads any more. */
async function readPages(
  scope: ShopScope,
  { sql, bindings }: Statement,
  pages: PassThrough,
  seconds: number,
): Promise<void> {
  const closed = once(pages, 'close')
  closed.catch(() => {})
  try {
    await scope.transaction(async (tx) => {
      await tx.withoutRows('set transaction isolation level repeatable read, read only')
      await tx.withoutRows(`set local statement_timeout = '${seconds}s'`)
      // All rows are read: a plan for the first ones would be slower.
      await tx.withoutRows('set local cursor_tuple_fraction = 1')
      await tx.query(`declare report cursor for ${sql}`, bindings)
      while (!pages.destroyed) {
        const rows = await tx.query<Record<string, string | number | null>>(
          `fetch ${PAGE} from report -- of the shop :shop`,
        )
        if (rows.length === 0 || pages.destroyed) return
        if (!pages.write(rows)) await Promise.race([once(pages, 'drain'), closed])
      }
    })
  } catch (error) {
    throw isStatementTimeout(error) ? new AppError('report_too_large', { cause: error }) : error
  }
}
