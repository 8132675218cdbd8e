// How a run ends: its exit code, and the errors that lead to one.
import { StevedoreError } from './errors.ts'

export const EXIT = { all: 0, some: 1, wrong: 2, unreached: 3, interrupted: 130 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command was called in a wrong way. */
export class UsageError extends Error {}

/** Refusals that the same command meets again: of the key, of an option, of an id. */
const WRONG = new Set([400, 401, 403, 404, 405, 413, 415, 422])
/** Answers of a proxy whose server is gone. */
const UNREACHED = new Set([0, 502, 503, 504])

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.wrong
  if (!(error instanceof StevedoreError)) return EXIT.some
  if (error.code === 'not_reached') return EXIT.unreached
  // An answer of ours that is no refusal has a code of ours.
  if (error.code === 'unexpected' && UNREACHED.has(error.status)) return EXIT.unreached
  return WRONG.has(error.status) ? EXIT.wrong : EXIT.some
}

/** The lines that tell a person about an error. */
export function errorLines(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  if (!(error instanceof StevedoreError)) return [error.message]
  const details = error.details
    .filter(({ message }) => message !== error.message)
    .map(({ index, param, message }) => {
      const entry = index === undefined ? '' : `entry ${index + 1}`
      return `  ${[entry, param].filter((part) => part !== '').join(', ')}: ${message}`
    })
  const advice = ADVICE[error.status]
  return [error.message, ...details, ...(advice === undefined ? [] : [advice])]
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'The API key is not valid at this installation. Make one under Settings, Advanced, API keys.',
  403: 'Give the key this scope, or make another one under Settings, Advanced, API keys.',
}
