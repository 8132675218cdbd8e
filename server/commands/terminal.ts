// What commands that take long have in common: a line of progress, and an orderly interruption.

/** The exit code of a command that can be continued. */
export const INTERRUPTED = 130

/** Aborts when the user or the system interrupts the command; a second time ends it immediately. */
export function stopSignal(): { signal: AbortSignal; isStopped(): boolean } {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error('interrupted')))
  return { signal: stop.signal, isStopped: () => stop.signal.aborted }
}

export interface ProgressLine {
  /** Replaces the line on a terminal; elsewhere it is printed now and then. */
  show(text: string): void
  print(text: string): void
  /** Ends the line. */
  end(): void
}

const TERMINAL_MS = 200
const LOG_MS = 10_000

/** Writes to standard error, so that standard output has only the result. */
export function progressLine(): ProgressLine {
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
