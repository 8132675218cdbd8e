import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { splitTags } from '../../files/rules.ts'
import { escapedTags, readTagCell } from './tag-cells.ts'

describe('a cell with tags', () => {
  it.each([
    ['a; b,c', { tags: ['a', 'b', 'c'] }],
    ['+new;-old', { tags: ['new'], tags_removed: ['old'] }],
    ['+ new,\n+more', { tags: ['new', 'more'], tags_removed: [] }],
    ['-old', { tags: [], tags_removed: ['old'] }],
    ['\\-5%;\\+1;\\\\x;a-b', { tags: ['-5%', '+1', '\\x', 'a-b'] }],
    ['+\\-5%', { tags: ['-5%'], tags_removed: [] }],
    [';', { tags: [] }],
  ])('%j is read', (text, tags) => expect(readTagCell(text)).toEqual(tags))

  it.each(['+new;old', 'old;-gone', '+', '-;-old', '+;+a'])('%j is refused', (text) =>
    expect(readTagCell(text)).toMatchObject({ code: 'invalid_tag' }),
  )

  it.each(['-5%, +1;a', '\\-x', '\\\\x', '3+1', '+a\n-b', '\\x'])(
    '%j of another program has no signs',
    (text) => {
      const read = readTagCell(escapedTags(text))
      expect(read).toEqual({ tags: text.split(/[,;\n]/).map((tag) => tag.trim()) })
    },
  )

  it('of another program has the tags that it has without signs', () => {
    // U+037E is a semicolon in its normal form.
    const characters = ['+', '-', '\\', ',', ';', '\u037e', ' ', '\u00a0', '\n', 'a', 'é']
    const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 30 })
    fc.assert(
      fc.property(text, (given) => {
        expect(readTagCell(escapedTags(given))).toEqual({ tags: splitTags(given) })
      }),
    )
  })
})
