// The sizes that a file of an import may have, before and after its bytes are fetched, and sizes as
// texts.
import { sizeParts, type SizeUnit } from '../_page/size-parts.ts'
import type { Failure } from './outcome.ts'
import { say, type Text } from './text.ts'

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

const UNIT_TEXTS: Readonly<Record<SizeUnit, (size: number) => Text>> = {
  bytes: (bytes) => say('{bytes, plural, one {# byte} other {# bytes}}', { bytes }),
  KB: (size) => say('{size} KB', { size }),
  MB: (size) => say('{size} MB', { size }),
  GB: (size) => say('{size} GB', { size }),
  TB: (size) => say('{size} TB', { size }),
}

/** A size in bytes as text: 12,345,678 is `12 MB`, in French `12 Mo`. */
export function sizeText(bytes: number): Text {
  const { value, unit } = sizeParts(bytes)
  return UNIT_TEXTS[unit](value)
}
