// One line for each file of an import, and their sum.
import { StevedoreError } from './errors.ts'
import { errorLines, EXIT, type ExitCode } from './exit.ts'
import type { LocalFile } from './local-files.ts'
import type { Terminal } from './terminal.ts'

type OutcomeStatus = 'imported' | 'unchanged' | 'same_bytes' | 'skipped' | 'failed' | 'would_send'

export interface Outcome {
  status: OutcomeStatus
  fileId?: string | null
  /** The titles of the products that it is mapped to. */
  products?: readonly string[]
  /** Why, or which other file. */
  about?: string
  code?: string
}

const WORDS: Record<OutcomeStatus, string> = {
  imported: 'imported',
  unchanged: 'unchanged',
  same_bytes: 'same bytes',
  skipped: 'skipped',
  failed: 'FAILED',
  would_send: 'would send',
}
const WORD_WIDTH = 10

export class Outcomes {
  readonly #terminal: Terminal
  readonly #counts = new Map<OutcomeStatus, number>()

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  add(file: Pick<LocalFile, 'shown' | 'filename' | 'size'>, outcome: Outcome): void {
    const { status, fileId = null, products = [], about, code } = outcome
    this.#counts.set(status, this.of(status) + 1)
    const record = {
      event: 'file',
      status,
      path: file.shown,
      filename: file.filename,
      size_bytes: file.size,
      file_id: fileId,
      products,
      ...(about === undefined ? {} : { message: about }),
      ...(code === undefined ? {} : { code }),
    }
    const mapped = products.length > 0 ? ` → ${products.join(', ')}` : ''
    const unmapped = status === 'imported' && products.length === 0 ? ' (no product)' : ''
    const reason = about === undefined ? '' : `: ${about}`
    this.#terminal.result(
      record,
      `${WORDS[status].padEnd(WORD_WIDTH)} ${file.shown}${mapped}${unmapped}${reason}`,
    )
  }

  of(status: OutcomeStatus): number {
    return this.#counts.get(status) ?? 0
  }

  summary(about: object = {}): void {
    const counts = Object.fromEntries(this.#counts)
    const text = [...this.#counts].map(([status, count]) => `${count} ${WORDS[status]}`).join(', ')
    this.#terminal.result({ event: 'summary', ...counts, ...about }, text || 'Nothing to import')
  }

  get exitCode(): ExitCode {
    return this.of('failed') > 0 ? EXIT.some : EXIT.all
  }
}

/** Of a file that could not be read, compared or sent. */
export const failed = (error: unknown): Outcome => ({
  status: 'failed',
  about: errorLines(error).join(' '),
  ...(error instanceof StevedoreError ? { code: error.code } : {}),
})
