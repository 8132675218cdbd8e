import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyToDraft } from '../../server/files/draft-changes.ts'
import { draftFrom } from '../../server/files/drafts.ts'
import { shopSettingsSchema } from '../../server/files/shop-settings.ts'
import { inEnglish } from '../../test/english.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { nameKey } from '../contract/index.ts'
import { replaceTag } from './plugin.ts'

const defaults = shopSettingsSchema.parse({})

/** The tags of a file after the plan, which had the tags `has` before. */
async function left(has: readonly string[], options: Record<string, unknown>): Promise<string[]> {
  const draft = draftFrom({ filename: 'a.pdf', tags: has }, defaults)
  const items = [fileItem('a', { tags: draft.tags })]
  const [outcome] = await Array.fromAsync(
    replaceTag.plan(items, replaceTag.options.parse(options), writeContext()),
  )
  if (outcome!.status === 'ok' && outcome!.change) applyToDraft(draft, outcome!.change)
  return draft.tags
}

pluginSuite(replaceTag, () =>
  Promise.resolve({
    items: [
      fileItem('a', { tags: ['old', 'kept'] }),
      fileItem('b', { tags: ['kept'] }),
      fileItem('c'),
    ],
    options: { find: 'old', replace: 'new' },
    context: writeContext(),
    state: () => null,
  }),
)

describe('replace-tag', () => {
  it.each<[string, Record<string, unknown>, string[], string[]]>([
    ['in its place', { find: 'b', replace: 'x' }, ['a', 'b', 'c'], ['a', 'x', 'c']],
    ['the whole tag alone', { find: 'e', replace: 'x' }, ['ebook', 'book e'], ['ebook', 'book e']],
    ['into one that is there', { find: 'b', replace: 'c' }, ['a', 'b', 'c'], ['a', 'c']],
    ['this case alone', { find: 'B', replace: 'x' }, ['b', 'B'], ['b', 'x']],
    [
      'any case',
      { find: 'é', replace: 'x', case_sensitive: false },
      ['É', 'e\u0301', 'e'],
      ['x', 'e'],
    ],
    [
      'any case into one of them',
      { find: 'b', replace: 'B', case_sensitive: false },
      ['b', 'B', 'a'],
      ['B', 'a'],
    ],
    ['nothing where it is not', { find: 'q', replace: 'x' }, ['a'], ['a']],
  ])('replaces %s', async (_what, options, has, expected) => {
    expect(await left(has, options)).toEqual(expected)
  })

  it('reports that a file without the tag needs no change', async () => {
    const options = replaceTag.options.parse({ find: 'a', replace: 'b' })
    const items = [fileItem('without', { tags: ['b'] }), fileItem('with', { tags: ['a'] })]
    expect(await Array.fromAsync(replaceTag.plan(items, options, writeContext()))).toEqual([
      { item: 'without', status: 'ok', unchanged: 'It does not have this tag' },
      { item: 'with', status: 'ok', change: { tags: { replace: ['b'] } } },
    ])
  })

  const tag = fc.constantFrom('a', 'A', 'ab', 'a b', '\u00e9', '\u00c9', '日本', 'x'.repeat(90))
  it('removes the searched tag, keeps each tag once and in order; repeating it changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(tag, { maxLength: 8 }),
        tag,
        tag,
        fc.boolean(),
        async (has, find, replace, case_sensitive) => {
          if (find === replace) return
          const options = { find, replace, case_sensitive }
          const isMeant = (one: string) =>
            case_sensitive ? one === find : nameKey(one) === nameKey(find)
          const after = await left(has, options)
          expect(new Set(after).size).toBe(after.length)
          expect(after.filter((one) => isMeant(one) && one !== replace)).toEqual([])
          expect(after.includes(replace)).toBe(has.includes(replace) || has.some(isMeant))
          expect(after.filter((one) => one !== replace)).toEqual(
            has.filter((one) => one !== replace && !isMeant(one)),
          )
          expect(await left(after, options)).toEqual(after)
        },
      ),
    )
  })

  it.each([
    ['the same tag', { find: 'a', replace: 'a' }, 'This is the same tag'],
    ['the same tag but for spaces', { find: ' a', replace: 'a ' }, 'This is the same tag'],
    ['a comma', { find: 'a', replace: 'b,c' }, 'A tag cannot contain , or ;'],
    ['an empty tag', { find: 'a', replace: ' ' }, 'A tag cannot be empty'],
    ['nothing to find', { replace: 'a' }, 'find'],
  ])('refuses %s', (_what, options, message) => {
    expect(replaceTag.options.safeParse(options).error?.message).toContain(message)
  })
  it('describes what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(replaceTag.summary!(replaceTag.options.parse(options)))
    expect(summary({ find: 'a', replace: 'b' })).toBe('Replaces the tag a by b')
    expect(summary({ find: 'a', replace: 'b', case_sensitive: false })).toBe(
      'Replaces the tag a in any case by b',
    )
  })
})
