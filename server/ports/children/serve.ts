// The child's side of limited-child.ts: answers one question after another, and ends when its parent does.
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { tellsOfMemory, type Refused, type Reply } from './replies.ts'

/** Thrown by a child's work: the file can't be worked on, and trying again does not help. */
export class Refusal extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string = ERRORS[code].message, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Calls `work` with each question's input; what it gives must be JSON. Anything thrown but a `Refusal` is told as `plugin_failed`. */
export function serveRequests<Input, Answer>(work: (input: Input) => Promise<Answer>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', ({ input }: { input: Input }) => {
    work(input).then(
      (answer) => reply({ answer }),
      (error: unknown) => reply({ refused: toldAs(error) }),
    )
  })
}

const reply = (message: Reply) => process.send!(message)

function toldAs(error: unknown): Refused {
  const inside = String((error instanceof Error && error.stack) || error).slice(0, 4000)
  if (error instanceof Refusal) return { code: error.code, message: error.message, memory: false, inside }
  return { code: 'plugin_failed', message: ERRORS.plugin_failed.message, memory: tellsOfMemory(inside), inside }
}
