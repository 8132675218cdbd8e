// Refusals of the drop server's file system, with a sentence for the client. Each protocol maps the
// code to its own reply.

export type DropCode =
  | 'not_found'
  | 'exists'
  | 'not_a_folder'
  | 'is_a_folder'
  | 'not_empty'
  | 'denied'
  | 'bad_name'
  | 'quota'
  | 'too_large'
  | 'full'
  | 'busy'
  | 'interrupted'
  | 'too_many_files'
  | 'unavailable'

const MESSAGES: Readonly<Record<DropCode, string>> = {
  not_found: 'No such file or folder',
  exists: 'This name is taken',
  not_a_folder: 'This is not a folder',
  is_a_folder: 'This is a folder',
  not_empty: 'The folder is not empty',
  denied: 'Permission denied',
  bad_name: 'This name is not allowed',
  quota: 'The quota of waiting files is used up: import or delete some first',
  too_large: 'The file is larger than a file may be',
  full: 'The disk is full: try again later',
  busy: 'The file is being imported',
  interrupted: 'The file is being written by another connection',
  too_many_files: 'Too many files are open: close some first',
  unavailable: 'The service is not available: try again soon',
}

export class DropError extends Error {
  readonly code: DropCode
  constructor(code: DropCode, message: string = MESSAGES[code], options?: ErrorOptions) {
    super(message, options)
    this.name = 'DropError'
    this.code = code
  }
}

/** The system error to log, or null for a mistake of the client. */
export function faultOf(error: unknown): unknown {
  return error instanceof DropError ? (error.cause ?? null) : error
}
