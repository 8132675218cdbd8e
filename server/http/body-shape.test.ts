import { expect, test } from 'vitest'
import { MAX_DEPTH, MAX_FIELDS, MAX_VALUES, shapeCounter } from './body.ts'

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
  [list(MAX_VALUES)],
  [fields(MAX_FIELDS)],
  [deep(MAX_DEPTH)],
  [`["${'[{,:\\"'.repeat(MAX_VALUES)}\\\\"]`],
])('a body within its limits is accepted, in pieces of any length', (text) => {
  for (const length of [1, 7, text.length]) expect(() => count(text, length)).not.toThrow()
})

test.each([
  [list(MAX_VALUES + 1), 'payload_too_large'],
  [`{"a":"\\\\","b":${list(MAX_VALUES)}}`, 'payload_too_large'],
  ['[]'.repeat(MAX_VALUES + 1), 'payload_too_large'],
  [fields(MAX_FIELDS + 1), 'payload_too_large'],
  [deep(MAX_DEPTH + 1), 'malformed_request'],
])('a body beyond them is refused', (text, code) => {
  for (const length of [1, 7, text.length])
    expect(() => count(text, length)).toThrow(expect.objectContaining({ code }) as Error)
})
