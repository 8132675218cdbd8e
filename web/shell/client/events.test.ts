import { describe, expect, test } from 'vitest'
import { eventCutter } from './events.ts'

const STREAM =
  ': beat\n\nevent: progress\ndata: {"done":1}\n\nid: 7\nretry: 10\ndata: one\ndata:two\n\n\nevent:end\r\ndata: é\r\n\r\n'
const EVENTS = [
  { name: 'progress', data: '{"done":1}' },
  { name: 'message', data: 'one\ntwo' },
  { name: 'end', data: 'é' },
]

describe('an event stream is parsed the same, in any chunks', () => {
  test.each([1, 2, 3, 7, 1000])('in pieces of %d', (size) => {
    const cut = eventCutter()
    const pieces = Array.from({ length: Math.ceil(STREAM.length / size) }, (_, n) =>
      STREAM.slice(n * size, (n + 1) * size),
    )
    expect(pieces.flatMap(cut)).toEqual(EVENTS)
  })
})

test('an incomplete event is not reported yet', () => {
  const cut = eventCutter()
  expect(cut('event: progress\ndata: 1\n')).toEqual([])
  expect(cut('\n')).toEqual([{ name: 'progress', data: '1' }])
})
