// The sizes that a file of an import may have, before and after its bytes are fetched.
import type { Failure } from './outcomes.ts'

const EMPTY: Failure = {
  status: 'failed',
  code: 'empty_file',
  message: 'The file is empty',
  retryable: false,
}
const TOO_LARGE: Failure = {
  status: 'failed',
  code: 'file_too_large',
  message: 'The file is larger than 5 GB: contact support to have larger files imported',
  retryable: false,
}

/** Why an import may not have a file of this size. Null: the size is allowed or unknown. */
export function sizeProblem(size: number | null, limits: { file_bytes: number }): Failure | null {
  if (size === 0) return EMPTY
  return size !== null && size > limits.file_bytes ? TOO_LARGE : null
}
