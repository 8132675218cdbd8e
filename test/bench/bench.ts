// What a bench is, and what each of them needs: separate processes, their peak memory, medians.
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
  /** The ratio may not be lower. */
  floor?: number
  /** The ratio may not be higher. */
  ceiling?: number
}

export interface Context {
  /** Measured rounds; the median counts. */
  rounds: number
  /** An empty folder on the disk that is measured, removed afterwards. */
  folder: string
  /** A progress line. */
  say(text: string): void
}

export interface Bench {
  name: string
  /** Throws where the work that was measured is not right: a fast wrong answer is none. */
  run(context: Context): Promise<readonly Row[]>
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * A row of medians. The ratio is the median of the rounds' own: anything else that the machine does in a
 * round disturbs both. More is better where there is a `floor`, less where there is a `ceiling`.
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

/** A process of ours that answers one message with one message. */
export interface Part {
  readonly pid: number
  /** What it said when it was ready. */
  readonly ready: unknown
  ask<Answer>(message: object): Promise<Answer>
  stop(): Promise<void>
}

/** As `npm start` runs us: for parts that stand for the server. */
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
      reject(new Error(`A part of the bench ended early (exit ${code})`))
    child.once('exit', gone)
    child.once('message', (answer) => {
      child.off('exit', gone)
      resolve(answer)
    })
  })
}

/** The most memory that the process ever held, in MB. Linux only: elsewhere NaN. */
export async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}
