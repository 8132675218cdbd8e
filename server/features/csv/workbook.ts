// Workbooks instead of CSV files: a limited child process reads their sheets.
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { PortError, type Sandbox, say, textOf } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import { withWorkFolder } from '../../ports/children/work-folder.ts'

export interface Sheet {
  name: string
  /** The size of its text. */
  bytes: number
  /** Its text as CSV, in UTF-8. */
  read(): AsyncIterable<Buffer>
}

/**
 * Calls `take` with the sheets of a workbook, which is on disk and not in memory until `take` ends.
 * Throws `invalid_csv` with the reason, and errors of `bytes` and `take`.
 */
export type ReadWorkbook = <Result>(
  shop: number,
  bytes: AsyncIterable<Buffer>,
  take: (sheets: readonly Sheet[]) => Promise<Result>,
) => Promise<Result>

const SCRIPT = new URL('./workbook-child.ts', import.meta.url)
const LIMITS = {
  // All workbooks of a process share one child: with its stack and code it stays below 1 GB.
  memoryBytes: 896 * 1024 ** 2,
  fileBytes: 200 * 1024 ** 2,
  wallMs: 60_000,
  parallel: 1,
  uses: 50,
  idleMs: 10_000,
}
/** The text is read in pieces of this size. */
const PIECE = 512 * 1024
const names = z.array(z.string().max(255)).max(50)

/** Is this the start of a workbook? .xlsx and .ods files are ZIP files. */
export const isWorkbook = (start: Uint8Array): boolean =>
  Buffer.from(start.subarray(0, 4)).toString('hex') === '504b0304'

export const workbookReader =
  (sandboxOf: (shop: number) => Sandbox): ReadWorkbook =>
  (shop, bytes, take) =>
    withWorkFolder(async (folder) => {
      const from = path.join(folder, 'workbook')
      await pipeline(bytes, createWriteStream(from))
      const signal = new AbortController().signal
      const call = { input: { from, folder }, answer: names, limits: LIMITS, signal }
      const found = await sandboxOf(shop)
        .run(SCRIPT, call)
        .catch((cause: unknown) => {
          throw refusalOf(cause)
        })
      return take(
        await Promise.all(found.map((name, at) => sheetOf(name, path.join(folder, `${at}.csv`)))),
      )
    })

const sheetOf = async (name: string, text: string): Promise<Sheet> => ({
  name,
  bytes: (await stat(text)).size,
  read: () => createReadStream(text, { highWaterMark: PIECE }),
})

function refusalOf(cause: unknown): unknown {
  if (!(cause instanceof PortError)) return cause
  const message =
    cause.code === 'invalid_csv'
      ? textOf(cause.texts.message)
      : say('This workbook is too large to be opened: save its sheet as CSV')
  return new AppError('invalid_csv', {
    details: [{ index: 0, param: '', code: 'invalid_csv', message }],
    cause,
  })
}
