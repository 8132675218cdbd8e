// Work on untrusted files runs in a separate process with limits: a crash costs only the file that
// it was processing. The child is a plugin's script that calls `serveRequests`. Requests and
// answers are JSON, and answers are validated.
import type { ChildProcess } from 'node:child_process'
import { z } from 'zod'
import { answeredText, PortError } from '../../../plugins/contract/index.ts'
import {
  isOutOfMemory,
  type SandboxRefusal,
  type Reply,
} from '../../../plugins/contract/sandbox.ts'
import { ERRORS, type ErrorCode } from '../../core/errors.ts'
import { launch, type ChildSpec } from './launch.ts'
import { present } from '../../core/lazy.ts'

export type { ChildSpec } from './launch.ts'

export interface Question<Answer> {
  /**
   * The question in JSON. Bytes are passed as paths of files in a private folder (work-folder.ts).
   */
  input: unknown
  answer: z.ZodType<Answer>
  wallMs: number
  signal: AbortSignal
}

/** A child that answers several requests, one at a time. */
export interface LimitedChild {
  /** Does the child live? It dies with a limit, an abort or a crash. */
  readonly alive: boolean
  /**
   * Throws `PortError`: what the child refused with (`refuse`), or `memory_limit`, `time_limit`,
   * `processor_crashed`; after those three the child is dead. If the signal aborts, kills the child
   * and throws the signal's reason.
   */
  ask<Answer>(question: Question<Answer>): Promise<Answer>
  close(): void
}

/**
 * A child lives until it is closed, exceeds a limit, or this process ends. It keeps this process
 * alive only during a request.
 */
export function startLimitedChild(wanted: ChildSpec): LimitedChild {
  const child = launch(wanted)
  const death = deathOf(child)
  keepAlive(child, false)
  return {
    get alive() {
      return (
        child.connected && !child.killed && child.exitCode === null && child.signalCode === null
      )
    },
    ask: async ({ input, answer, wallMs, signal }) => {
      const clock = new AbortController()
      const timer = setTimeout(() => clock.abort(portError('time_limit')), wallMs)
      keepAlive(child, true)
      try {
        const reply = await askOnce(child, death, input, AbortSignal.any([signal, clock.signal]))
        if ('refused' in reply) throw refusal(child, reply.refused)
        return validateAnswer(answer, reply.answer)
      } finally {
        clearTimeout(timer)
        keepAlive(child, false)
      }
    },
    close: () => void child.kill('SIGKILL'),
  }
}

const replySchema: z.ZodType<Reply> = z.union([
  z.object({ answer: z.json() }),
  z.object({
    refused: z.object({
      code: z.string().max(64),
      message: answeredText,
      memory: z.boolean(),
      inside: z.string().max(4000),
    }),
  }),
])

async function askOnce(
  child: ChildProcess,
  death: Promise<never>,
  input: unknown,
  stop: AbortSignal,
) {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onStop = () => reject(stop.reason)
  child.once('message', resolve)
  stop.addEventListener('abort', onStop, { once: true })
  try {
    stop.throwIfAborted()
    // The answer, or the child's death, shows whether it was sent.
    if (child.connected) child.send({ input }, () => {})
    return validateAnswer(replySchema, await Promise.race([promise, death]))
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    child.off('message', resolve)
    stop.removeEventListener('abort', onStop)
  }
}

function validateAnswer<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data, error } = schema.safeParse(answer)
  if (error) throw portError('processor_crashed', error)
  return data
}

function refusal(
  child: ChildProcess,
  { code, message, memory, inside }: SandboxRefusal,
): PortError {
  const cause = new Error(inside)
  if (!memory) return new PortError(code, message, false, { cause })
  // A failed allocation may leave broken state in the child: the next file must not suffer from it.
  child.kill('SIGKILL')
  return portError('memory_limit', cause)
}

const FROM_OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGKILL',
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
])

/** Rejects when the child ends, with the consequence for the file that it was processing. */
function deathOf(child: ChildProcess): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  let last = ''
  present(child.stderr, 'The child’s stderr')
    .setEncoding('utf8')
    .on('data', (text: string) => (last = (last + text).slice(-4000)))
  child.once('error', (error) => reject(portError('processor_crashed', error)))
  child.once('close', (code, signal) => {
    if (signal === 'SIGXCPU') return reject(portError('time_limit'))
    // Not because of the file: the whole machine lacks memory, or someone stops all processes.
    if (signal !== null && FROM_OUTSIDE.has(signal))
      return reject(new PortError('processor_crashed', ERRORS.processor_crashed.message, true))
    reject(
      portError(
        isOutOfMemory(last) ? 'memory_limit' : 'processor_crashed',
        new Error(`${signal ?? code}: ${last}`),
      ),
    )
  })
  // There may be no request when it ends.
  promise.catch(() => {})
  return promise
}

function keepAlive(child: ChildProcess, kept: boolean): void {
  for (const part of [
    child,
    child.channel,
    child.stderr as { ref?(): void; unref?(): void } | null,
  ])
    if (kept) part?.ref?.()
    else part?.unref?.()
}

const portError = (code: ErrorCode, cause?: unknown) =>
  new PortError(code, ERRORS[code].message, false, { cause })
