// The child's side of `sandbox.run`: a script in a plugin's folder that opens untrusted files calls
// `serveRequests`, and runs in a process with limits. Imports no library, because every such process
// loads it.
import type { AnyText } from './say.ts'

export { ownValue } from '../_page/own-value.ts'
export { say, sayPlain } from './say.ts'

/** Why a script could not process a file, as a message to the server. */
export interface SandboxRefusal {
  /** The error's code, one of server/core/errors.ts. */
  code: string
  message: AnyText
  /** Whether memory ran out. */
  memory: boolean
  /** The stack, for the log only. */
  inside: string
}

export type Reply = { answer: unknown } | { refused: SandboxRefusal }

/** A script throws it if the file cannot be processed and retrying does not help. */
export class Refusal extends Error {
  readonly code: string
  readonly text: AnyText
  constructor(code: string, text: AnyText, options?: ErrorOptions) {
    super(typeof text === 'string' ? text : text.message, options)
    this.code = code
    this.text = text
  }
}

/** Whether this message of V8, Node, WebAssembly, libc or glib reports that memory ran out. */
export const isOutOfMemory = (words: string): boolean =>
  /(out of|insufficient|not enough) memory|allocation failed|failed to allocate|cannot allocate|unable to (allocate|grow)|bad_alloc/i.test(
    words,
  )

/**
 * Calls `work` with the input of each `sandbox.run`; its answer must be JSON. Errors other than a
 * `Refusal` reach the plugin as `plugin_failed`.
 */
export function serveRequests<Input, Answer>(work: (input: Input) => Promise<Answer>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', ({ input }: { input: Input }) => {
    work(input).then(
      (answer) => reply({ answer }),
      (error: unknown) => reply({ refused: asRefused(error) }),
    )
  })
}

function reply(message: Reply): void {
  if (!process.send) throw new Error('This script runs only as a child of the server')
  // The next process reads what this one compiled. This one may be killed once it has answered.
  process.getBuiltinModule('node:module').flushCompileCache()
  process.send(message)
}

function asRefused(error: unknown): SandboxRefusal {
  const inside = String((error instanceof Error && error.stack) || error).slice(0, 4000)
  if (error instanceof Refusal)
    return { code: error.code, message: error.text, memory: false, inside }
  const message = 'The plugin failed on this file'
  return { code: 'plugin_failed', message, memory: isOutOfMemory(inside), inside }
}
