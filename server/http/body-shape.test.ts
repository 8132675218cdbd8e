import { expect, test } from 'vitest'
import { MOST_DEEP, MOST_FIELDS, MOST_VALUES, shapeCounter } from './body-shape.ts'

/** Passes the text to the counter in pieces of this length. */
function count(text: string, length = text.length): void {
  const bytes = Buffer.from(text)
  const counter = shapeCounter()
  for (let at = 0; at < bytes.length; at += length) counter(bytes.subarray(at, at + length))
}

const list = (count: number) => `[${Array<string>(count).fill('1').join()}]`
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const fields = (count: number) => `{${Array<string>(count).fill('"a":1').join()}}`

test.each([
  [list(MOST_VALUES)],
  [fields(MOST_FIELDS)],
  [deep(MOST_DEEP)],
  [`["${'[{,:\\"'.repeat(MOST_VALUES)}\\\\"]`],
])('a body within its limits is accepted, in pieces of any length', (text) => {
  for (const length of [1, 7, text.length]) expect(() => count(text, length)).not.toThrow()
})

test.each([
  [list(MOST_VALUES + 1), 'payload_too_large'],
  [`{"a":"\\\\","b":${list(MOST_VALUES)}}`, 'payload_too_large'],
  ['[]'.repeat(MOST_VALUES + 1), 'payload_too_large'],
  [fields(MOST_FIELDS + 1), 'payload_too_large'],
  [deep(MOST_DEEP + 1), 'malformed_request'],
])('a body beyond them is refused', (text, code) => {
  for (const length of [1, 7, text.length])
    expect(() => count(text, length)).toThrow(expect.objectContaining({ code }) as Error)
})
