// What commands have in common: how they fail, a line of progress, and an orderly interruption.

/** The exit code of a command that can be continued. */
const INTERRUPTED = 130

/** Prints an error of the command, which then ends with 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

export interface LongWork {
  /** Aborts when the user or the system interrupts the command. */
  signal: AbortSignal
  line: ProgressLine
}

/**
 * Runs work that can be continued by the same command. The first interruption stops it in order, a
 * second one ends the process immediately.
 */
export async function runInterruptible(work: (parts: LongWork) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error('interrupted')))
  const line = progressLine()
  try {
    await work({ signal: stop.signal, line })
  } catch (error) {
    line.end()
    if (!stop.signal.aborted) throw error
    console.error('Interrupted: run the same command to continue.')
    process.exitCode = INTERRUPTED
  }
}

interface ProgressLine {
  /** Replaces the line on a terminal; elsewhere it is printed now and then. */
  show(text: string): void
  print(text: string): void
  /** Ends the line. */
  end(): void
}

const TERMINAL_MS = 200
const LOG_MS = 10_000

/** Writes to standard error, so that standard output has only the result. */
function progressLine(): ProgressLine {
  const { stderr } = process
  let shownAt = performance.now()
  let open = false
  const end = () => {
    if (open) stderr.write('\n')
    open = false
  }
  return {
    show: (text) => {
      const now = performance.now()
      if (now - shownAt < (stderr.isTTY ? TERMINAL_MS : LOG_MS)) return
      shownAt = now
      if (!stderr.isTTY) return void stderr.write(`${text}\n`)
      stderr.write(`\r\u001b[K${text}`)
      open = true
    },
    print: (text) => {
      end()
      stderr.write(`${text}\n`)
    },
    end,
  }
}
