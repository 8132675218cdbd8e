import { expect, it } from 'vitest'
import { isEndOf, type EndedOperation, type EndOf } from './outbox/webhook-events.ts'

const END: EndedOperation = {
  kind: 'import',
  channel: 'csv',
  action: 'import',
  undo: true,
  own: true,
  failed: true,
  completed: true,
  worked: true,
  confirmed: true,
  previewed: false,
  question: true,
  asked: new Set(['callback_url']),
  announced: new Set(['file.deleted']),
}
const OTHER: EndedOperation = {
  kind: 'bulk',
  channel: 'admin',
  action: 'tag-files',
  undo: false,
  own: false,
  failed: false,
  completed: false,
  worked: false,
  confirmed: false,
  previewed: false,
  question: false,
  asked: new Set(),
  announced: new Set(['mapping.changed']),
}

it.each<EndOf>([
  { kind: 'import' },
  { channel: 'csv' },
  { action: 'import' },
  { undo: true },
  { own: true },
  { failed: true },
  { completed: true },
  { question: true },
  { worked: true },
  { confirmed: true },
  { asked: 'callback_url' },
  { announced: 'file.deleted' },
])('%o is met by the one end and not by the other', (of) => {
  expect([isEndOf(of, END), isEndOf(of, OTHER)]).toEqual([true, false])
})

it('all conditions of one entry must hold, and one entry of a list', () => {
  expect(isEndOf({ kind: 'import', channel: 'admin' }, END)).toBe(false)
  expect(isEndOf([{ channel: 'admin' }, { kind: 'import' }], END)).toBe(true)
  expect(isEndOf({}, OTHER)).toBe(true)
  expect(isEndOf([], OTHER)).toBe(false)
})

it('a ready preview meets only conditions that name it', () => {
  const preview = { ...OTHER, previewed: true }
  expect([isEndOf({}, preview), isEndOf({ previewed: true }, preview)]).toEqual([false, true])
  expect(isEndOf({ previewed: true }, OTHER)).toBe(false)
})
