// The content of the text file next to a file that could not be imported.
import { ownValue } from '../../../plugins/contract/index.ts'
export interface Reason {
  code: string
  /** The reason in the specification's words, if it has some: `Duplicate filename`. */
  message: string
  detail?: string | undefined
}

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  duplicate_filename:
    'The shop has a file of this name. Rename this one, or choose in Settings what happens to names that are taken.',
  empty_file: 'Send the file again.',
  drop_file_gone: 'Send the file again.',
  invalid_csv: 'Correct import.csv, and move it back together with the files that it names.',
  operation_cancelled: 'The import was cancelled in the app.',
  file_too_large: 'A file has at most 5 GB.',
  storage_quota: 'Delete files or old versions in the app.',
  file_quota: 'Delete files in the app.',
}

/** Writes the text of the note. Lines end with CR LF, which every system can read. */
export const noteOf = (path: string, { code, message, detail }: Reason): string =>
  [
    message,
    ...(detail ? [detail] : []),
    '',
    `File: ${path}`,
    ...(ownValue(WHAT_TO_DO, code) ? [ownValue(WHAT_TO_DO, code)] : []),
    'To try again, move the file out of this folder. It is kept here for 30 days.',
    '',
  ].join('\r\n')
