// The shape of a JSON body, counted in its bytes before it is parsed. JSON.parse takes 100 ns for a
// value of three bytes and 1 µs for a new field name: 5 MB of either would block the process for
// half a second.
import { say } from '../../plugins/contract.ts'
import { AppError } from '../core/errors.ts'

/**
 * The maximum number of values in a body: every element of a list and every field counts. Exported for
 * tests of bodies at the limit.
 */
export const MAX_VALUES = 100_000
/** The maximum number of fields in a body. Exported for tests of bodies at the limit. */
export const MAX_FIELDS = 40_000
/** The maximum of levels: more than any request needs, and few enough for recursive functions. */
export const MAX_DEPTH = 50

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const

/** Takes a body piece by piece. Throws `malformed_request` and `payload_too_large`. */
export function shapeCounter(): (bytes: Uint8Array) => void {
  let inText = false
  let escaped = false
  let deep = 0
  let values = 0
  let fields = 0
  return (bytes) => {
    // A plain loop: it runs once for each byte of every request.
    const { length } = bytes
    for (let at = 0; at < length; at++) {
      if (inText) {
        if (escaped) escaped = false
        else {
          while (at < length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++
          escaped = bytes[at] === BACKSLASH
          inText = bytes[at] !== QUOTE
        }
        continue
      }
      switch (bytes[at]) {
        case QUOTE:
          inText = true
          break
        case COMMA:
          if (++values > MAX_VALUES) throw tooMany('values', MAX_VALUES)
          break
        case COLON:
          if (++fields > MAX_FIELDS) throw tooMany('fields', MAX_FIELDS)
          break
        case LIST:
        case OBJECT:
          if (++values > MAX_VALUES) throw tooMany('values', MAX_VALUES)
          if (++deep > MAX_DEPTH) throw tooDeep()
          break
        case LIST_END:
        case OBJECT_END:
          deep--
          break
        default:
      }
    }
  }
}

export const tooDeep = (): AppError =>
  new AppError('malformed_request', {
    message: say('The request is nested more than {most} deep', { most: MAX_DEPTH }),
  })

const tooMany = (what: string, most: number) =>
  new AppError('payload_too_large', {
    message: say('The request has more than {most} {what}: send it in several requests', {
      most,
      what,
    }),
  })
