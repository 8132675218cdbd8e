// Workbooks instead of CSV files: a limited child process reads their sheets.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { PortError, type Sandbox, say, textOf } from '../../../plugins/contract.ts'
import { AppError } from '../../core/errors.ts'
import { withWorkFolder } from '../../ports/children/work-folder.ts'

export interface Sheet {
  name: string
  csv: Buffer
}

/** Reads the sheets of a workbook. Throws `invalid_csv` with the reason. */
export type ReadWorkbook = (shop: number, bytes: Buffer) => Promise<Sheet[]>

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
const names = z.array(z.string().max(255)).max(50)

/** Is this the start of a workbook? .xlsx and .ods files are ZIP files. */
export const isWorkbook = (start: Uint8Array): boolean =>
  Buffer.from(start.subarray(0, 4)).toString('hex') === '504b0304'

export const workbookReader =
  (sandboxOf: (shop: number) => Sandbox): ReadWorkbook =>
  (shop, bytes) =>
    withWorkFolder(async (folder) => {
      const from = path.join(folder, 'workbook')
      await writeFile(from, bytes)
      const signal = new AbortController().signal
      const call = { input: { from, folder }, answer: names, limits: LIMITS, signal }
      const found = await sandboxOf(shop)
        .run(SCRIPT, call)
        .catch((cause: unknown) => {
          throw refusalOf(cause)
        })
      return Promise.all(
        found.map(async (name, at) => ({
          name,
          csv: await readFile(path.join(folder, `${at}.csv`)),
        })),
      )
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
