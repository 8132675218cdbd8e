import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { nameKey } from '../contract/index.ts'
import { mergeTagCase } from './plugin.ts'

/** The tags after the plan, or null if it changes nothing. */
async function merged(tags: readonly string[]): Promise<readonly string[] | null> {
  const [outcome] = await Array.fromAsync(
    mergeTagCase.plan([fileItem('a', { tags })], {}, writeContext()),
  )
  const change = outcome!.status === 'ok' ? outcome!.change?.tags : undefined
  return change && 'replace' in change ? change.replace : null
}

pluginSuite(mergeTagCase, () =>
  Promise.resolve({
    items: [
      fileItem('a', { tags: ['Summer', 'SUMMER'] }),
      fileItem('b', { tags: ['summer'] }),
      fileItem('c'),
    ],
    context: writeContext(),
    state: () => null,
  }),
)

describe('merge-tag-case', () => {
  it.each<[string[], string[] | null]>([
    [
      ['Summer', 'sale', 'SUMMER', 'summer'],
      ['summer', 'sale'],
    ],
    [
      ['sale', 'Summer'],
      ['sale', 'summer'],
    ],
    [['E\u0301TE\u0301'], ['\u00e9t\u00e9']],
    [['ΣΊΣΥΦΟΣ'], ['σίσυφος']],
    [['summer', '日本', '2024'], null],
    [[], null],
  ])('changes %j to %j', async (has, expected) => {
    expect(await merged(has)).toEqual(expected)
  })

  it('reports that a file with correct tags needs no change', async () => {
    const items = [fileItem('a', { tags: ['summer'] })]
    expect(await Array.fromAsync(mergeTagCase.plan(items, {}, writeContext()))).toEqual([
      { item: 'a', status: 'ok', unchanged: 'None of its tags has capitals' },
    ])
  })

  const letters = fc.constantFrom('a', 'B', 'ß', 'é', 'É', 'e\u0301', 'İ', 'Σ', '日', ' ', '1')
  const tag = fc.array(letters, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  it('leaves every tag once, in lower case, with none lost or added; repeating it changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(tag, { maxLength: 10 }), async (has) => {
        const after = (await merged(has)) ?? has
        expect(new Set(after).size).toBe(after.length)
        expect([...after].sort()).toEqual([...new Set(has.map(nameKey))].sort())
        expect(await merged(after)).toBeNull()
      }),
    )
  })
})
