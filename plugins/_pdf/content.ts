// Finds states and strings that a page's content leaves open at its end. An appended mark would be
// drawn in the remaining graphics state, so everything open is closed first.

export interface ContentState {
  /**
   * The start of an unfinished string, which would include appended operators; otherwise the
   * content's length.
   */
  end: number
  /** The number of `q` without a `Q`. */
  saved: number
  /**
   * The offsets of `Q` without a `q`. Readers ignore these, but after an added `q` they would undo
   * it.
   */
  unmatched: readonly number[]
  /** The number of `BMC` and `BDC` without an `EMC`. */
  marked: number
  inText: boolean
  inImage: boolean
}

const SPACE = new Set([0, 9, 10, 12, 13, 32])
const DELIMITER = new Set([...'()<>[]{}/%'].map((one) => one.charCodeAt(0)))
const [OPEN, CLOSE, ESCAPE, LESS, MORE, NAME, COMMENT] = [...'()\\<>/%'].map((one) =>
  one.charCodeAt(0),
)
/** The length of the longest operator that this reader distinguishes. */
const MAX_OPERATOR_LENGTH = 3

/** What is open at one place of the content. */
interface OpenState {
  saved: number
  marked: number
  inText: boolean
  inImage: boolean
}

/** Reads the decoded content of a page, in linear time. */
export function readContent(bytes: Buffer): ContentState {
  const state = { saved: 0, marked: 0, inText: false, inImage: false, end: bytes.length }
  const unmatched: number[] = []
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (SPACE.has(byte)) at++
    else if (byte === COMMENT) at = endOfLine(bytes, at)
    else if (byte === OPEN || (byte === LESS && bytes[at + 1] !== LESS)) {
      const end = byte === OPEN ? endOfText(bytes, at) : bytes.indexOf(MORE!, at) + 1
      if (end <= 0) return { ...state, unmatched, end: at }
      at = end
    } else if (byte === LESS) at += 2
    else if (byte !== NAME && DELIMITER.has(byte)) at++
    else {
      const end = endOfToken(bytes, at + 1)
      if (byte !== NAME && end - at <= MAX_OPERATOR_LENGTH) {
        const operator = bytes.toString('latin1', at, end)
        if (operator === 'Q' && state.saved === 0) unmatched.push(at)
        applyOperator(state, operator)
        at = operator === 'ID' && state.inImage ? endOfImage(bytes, end) : end
      } else at = end
    }
  }
  return { ...state, unmatched }
}

/** The operators that close what is open, in an order in which each is allowed. */
export const closingOperators = ({ saved, marked, inText, inImage }: ContentState): string =>
  [
    ...(inImage ? ['EI'] : []),
    ...(inText ? ['ET'] : []),
    ...Array<string>(marked).fill('EMC'),
    ...Array<string>(saved).fill('Q'),
  ].join(' ')

/** The content without the parts that would break what follows. Null: it has none. */
export function balancedContent(bytes: Buffer, { end, unmatched }: ContentState): Buffer | null {
  if (end === bytes.length && unmatched.length === 0) return null
  const copy = Buffer.from(bytes.subarray(0, end))
  for (const at of unmatched) copy[at] = 32
  return copy
}

function applyOperator(state: OpenState, operator: string): void {
  if (operator === 'q') state.saved++
  else if (operator === 'Q') state.saved = Math.max(0, state.saved - 1)
  else if (operator === 'BT') state.inText = true
  else if (operator === 'ET') state.inText = false
  else if (operator === 'BMC' || operator === 'BDC') state.marked++
  else if (operator === 'EMC') state.marked = Math.max(0, state.marked - 1)
  else if (operator === 'BI') state.inImage = true
  else if (operator === 'EI') state.inImage = false
}

function endOfLine(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++
  return at
}

function endOfToken(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && !SPACE.has(bytes[at]!) && !DELIMITER.has(bytes[at]!)) at++
  return at
}

/** The position after the closing bracket; -1: there is none. */
function endOfText(bytes: Buffer, from: number): number {
  let open = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === ESCAPE) at++
    else if (byte === OPEN) open++
    else if (byte === CLOSE && --open === 0) return at + 1
  }
  return -1
}

// A picture's bytes may contain `EI` by chance: then the bytes that follow are rarely plain text.
const PLAIN_BYTES = 12

/** The offset of a picture's `EI`, or the content's end. */
function endOfImage(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf('EI', from); at >= 0; at = bytes.indexOf('EI', at + 1)) {
    const ends = at + 2 === bytes.length || SPACE.has(bytes[at + 2]!)
    if (ends && SPACE.has(bytes[at - 1]!) && isPlain(bytes.subarray(at + 2, at + 2 + PLAIN_BYTES)))
      return at
  }
  return bytes.length
}

const isPlain = (bytes: Buffer) =>
  bytes.every((byte) => SPACE.has(byte) || (byte > 31 && byte < 127))
