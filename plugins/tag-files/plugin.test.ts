import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyToDraft } from '../../server/files/draft-changes.ts'
import { draftFrom } from '../../server/files/drafts.ts'
import { shopSettingsSchema } from '../../server/files/shop-settings.ts'
import { inEnglish } from '../../test/english.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { tagFiles } from './plugin.ts'

const MODES = ['replace', 'add', 'remove'] as const
const defaults = shopSettingsSchema.parse({})

/** The tags of a file after the plan, which had the tags `has` before. */
async function tagged(has: readonly string[], options: Record<string, unknown>): Promise<string[]> {
  const draft = draftFrom({ filename: 'a.pdf', tags: has }, defaults)
  const items = [fileItem('a', { tags: draft.tags })]
  const [outcome] = await Array.fromAsync(
    tagFiles.plan(items, tagFiles.options.parse(options), writeContext()),
  )
  if (outcome!.status === 'ok' && outcome!.change) applyToDraft(draft, outcome!.change)
  return draft.tags
}

pluginSuite(tagFiles, () =>
  Promise.resolve({
    items: [fileItem('a', { tags: ['old'] }), fileItem('b')],
    options: { mode: 'add', tags: ['new'] },
    context: writeContext(),
    state: () => null,
  }),
)

describe('tag-files', () => {
  it.each([
    ['replace', { tags: ['new', 'kept'] }, ['new', 'kept']],
    ['replace by nothing', { tags: [] }, []],
    ['clear', { mode: 'clear' }, []],
    ['clear, with an empty list', { mode: 'clear', tags: [] }, []],
    ['add', { mode: 'add', tags: ['new', 'kept'] }, ['old', 'kept', 'new']],
    ['remove', { mode: 'remove', tags: ['old', 'never there'] }, ['kept']],
  ])('%s', async (_what, options, left) => {
    expect(await tagged(['old', 'kept'], options)).toEqual(left)
  })

  const tag = fc.constantFrom(
    'a',
    'A',
    'ab',
    'a b',
    '\u00e9',
    'e\u0301',
    ' padded',
    '日本',
    'x'.repeat(90),
  )
  const tags = fc.array(tag, { maxLength: 8 })
  it('keeps each tag once, existing ones first and in order; repeating it changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(tags, tags, fc.constantFrom(...MODES), async (has, wanted, mode) => {
        if (mode !== 'replace' && wanted.length === 0) return
        const stored = (list: readonly string[]) => [
          ...new Set(list.map((one) => one.trim().normalize('NFC'))),
        ]
        const [before, named] = [stored(has), stored(wanted)]
        const left = await tagged(before, { mode, tags: wanted })
        const expected = {
          replace: named,
          add: [...before, ...named.filter((one) => !before.includes(one))],
          remove: before.filter((one) => !named.includes(one)),
        }[mode]
        expect(left).toEqual(expected)
        expect(await tagged(left, { mode, tags: wanted })).toEqual(left)
      }),
    )
  })
  it('adding and then removing a tag restores the previous tags', async () => {
    await fc.assert(
      fc.asyncProperty(tags, tags, async (has, wanted) => {
        const fresh = wanted.map((one) => `new ${one}`)
        if (fresh.length === 0) return
        const before = await tagged(has, { tags: has })
        const more = await tagged(before, { mode: 'add', tags: fresh })
        expect(await tagged(more, { mode: 'remove', tags: fresh })).toEqual(before)
      }),
    )
  })

  it.each([
    ['no tags to add', { mode: 'add', tags: [] }, 'Name at least one tag to add or remove'],
    ['no tags to remove', { mode: 'remove', tags: [] }, 'Name at least one tag to add or remove'],
    ['no list to replace by', {}, 'This is required'],
    ['no list to add', { mode: 'add' }, 'This is required'],
    ['a mode that is not there, and no list', { mode: 'append' }, 'This is required'],
    ['tags to clear', { mode: 'clear', tags: ['a'] }, 'Name no tag to remove all tags'],
    ['a comma', { tags: ['a,b'] }, 'A tag cannot contain , or ;'],
    ['an empty tag', { tags: [' '] }, 'A tag cannot be empty'],
    ['a tag that is too long', { tags: ['x'.repeat(101)] }, 'at most 100'],
    ['a mode that is not there', { mode: 'append', tags: ['a'] }, 'replace'],
    ['251 tags', { tags: Array.from({ length: 251 }, (_, n) => String(n)) }, '250'],
  ])('refuses %s', (_what, options, message) => {
    expect(tagFiles.options.safeParse(options).error?.message).toContain(message)
  })
  it('describes what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(tagFiles.summary!(tagFiles.options.parse(options)))
    expect(summary({ tags: ['a', 'b'] })).toBe('Replaces all tags with a, b')
    expect(summary({ tags: [] })).toBe('Removes all tags')
    expect(summary({ mode: 'remove', tags: ['a'] })).toBe('Removes a')
  })
})
