// The interface of a bench, and its shared tools: separate processes, peak memory, medians.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { ARGUMENTS } from '../flows/server.ts'

export interface Row {
  what: string
  ours: number
  theirs: number
  unit: string
  ratio: number
  /** Lower bound of the ratio. */
  floor?: number
  /** Upper bound of the ratio. */
  ceiling?: number
}

export interface Context {
  /** Measures only the main row, with fewer rounds of warm-up: all benches take ten minutes. */
  brief: boolean
  /** The number of measured rounds; the result is their median. */
  rounds: number
  /** An empty folder on the measured disk, removed afterwards. */
  folder: string
  /** Prints a progress line. */
  say(text: string): void
}

/** NaN is out of any bound. */
export const fallsShort = ({ ratio, floor, ceiling }: Row): boolean =>
  (floor !== undefined && !(ratio >= floor)) || (ceiling !== undefined && !(ratio <= ceiling))

export interface Bench {
  name: string
  /** Throws if the measured work has a wrong result. */
  run(context: Context): Promise<readonly Row[]>
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * A row of medians. The ratio is the median of the ratios of the rounds, because a disturbance
 * during a round affects both sides. `floor`: higher is better; `ceiling`: lower is better.
 */
export function compare(
  what: string,
  unit: string,
  ours: readonly number[],
  theirs: readonly number[],
  bounds: { floor?: number; ceiling?: number } = {},
): Row {
  const ratio = median(ours.map((figure, round) => figure / theirs[round]!))
  return { what, unit, ours: median(ours), theirs: median(theirs), ratio, ...bounds }
}

/** A child process that answers each message with one message. */
export interface Part {
  readonly pid: number
  /** The message that it sent when it was ready. */
  readonly ready: unknown
  ask<Answer>(message: object): Promise<Answer>
  stop(): Promise<void>
}

/** The flags that `npm start` gives to Node, for processes that represent the server. */
export const SERVER_FLAGS = ARGUMENTS.filter((argument) => argument.startsWith('--'))

/** Starts a module as a separate process and waits for its first message. */
export async function startPart(
  module: URL,
  settings: object,
  execArgv: readonly string[] = [],
): Promise<Part> {
  const child = fork(module, [JSON.stringify(settings)], { execArgv: [...execArgv] })
  const ready = await answerOf(child)
  return {
    pid: child.pid!,
    ready,
    ask: async <Answer>(message: object) => {
      child.send(message)
      return (await answerOf(child)) as Answer
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) =>
      reject(new Error(`A child process of the bench ended early (exit ${code})`))
    child.once('exit', gone)
    child.once('message', (answer) => {
      child.off('exit', gone)
      resolve(answer)
    })
  })
}

/** Peak resident memory of the process in MB. NaN on systems other than Linux. */
export async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}
