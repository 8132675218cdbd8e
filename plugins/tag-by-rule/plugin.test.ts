import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, FileView } from '../contract/index.ts'
import { tagByRule } from './plugin.ts'

const MB = 1024 ** 2
const addedTo = async (item: Item, options: unknown = {}) => {
  const [outcome] = await Array.fromAsync(
    tagByRule.plan([item], tagByRule.options.parse(options), writeContext()),
  )
  if (outcome!.status !== 'ok') throw new Error('A rule never refuses a file')
  return outcome!.change?.tags ?? null
}

const file = (given: Partial<FileView>) => fileItem('a', given)

pluginSuite(tagByRule, () =>
  Promise.resolve({
    items: [file({ filename: 'Ebook.pdf' }), fileItem('b', { filename: 'song.mp3' })],
    context: writeContext(),
    state: () => null,
  }),
)

describe('tag-by-rule', () => {
  it.each<[string, Partial<FileView>, string[] | null]>([
    ['a name with ebook', { filename: 'My EBOOK.epub' }, ['ebook']],
    ['a name with course', { filename: 'course-1.zip' }, ['course']],
    ['a PDF', { filename: 'plan.PDF' }, ['pdf']],
    ['over 100 MB', { filename: 'film.mp4', size_bytes: 100 * MB + 1 }, ['large-file']],
    ['100 MB exactly', { filename: 'film.mp4', size_bytes: 100 * MB }, null],
    ['nothing of these', { filename: 'song.mp3' }, null],
    [
      'all of these',
      { filename: 'ebook course.pdf', size_bytes: 200 * MB },
      ['ebook', 'course', 'pdf', 'large-file'],
    ],
  ])('the default rules: %s', async (_what, given, tags) => {
    expect(await addedTo(file(given))).toEqual(tags && { add: tags })
  })
  it('skips a file that has all tags', async () => {
    expect(
      await addedTo(file({ filename: 'ebook.pdf', tags: ['mine', 'pdf', 'ebook'] })),
    ).toBeNull()
    expect(await addedTo(file({ filename: 'ebook.pdf', tags: ['pdf'] }))).toEqual({
      add: ['ebook', 'pdf'],
    })
  })
  it('gives the reason if it has nothing to do', async () => {
    const items = [
      file({ filename: 'song.mp3' }),
      fileItem('b', { filename: 'a.pdf', tags: ['pdf'] }),
    ]
    const planned = await Array.fromAsync(
      tagByRule.plan(items, tagByRule.options.parse({}), writeContext()),
    )
    expect(planned.map((outcome) => 'unchanged' in outcome && outcome.unchanged)).toEqual([
      'It matches none of the rules',
      'It has these tags',
    ])
  })
  it('applies every kind of condition, all conditions of a rule together, and adds a tag once', async () => {
    const rules = [
      { when: { type: ['image'], mapped: false }, tags: ['loose picture', 'picture'] },
      { when: { tags: ['summer'] }, tags: ['season', 'picture'] },
      { when: {}, tags: ['seen'] },
    ]
    expect(await addedTo(file({ filename: 'a.png', tags: ['summer'] }), { rules })).toEqual({
      add: ['loose picture', 'picture', 'season', 'seen'],
    })
    expect(await addedTo(file({ filename: 'a.zip' }), { rules })).toEqual({ add: ['seen'] })
  })
  it('tags drafts of an import too; one without bytes is neither large nor small', async () => {
    const rules = [
      { when: { larger_than: 0 }, tags: ['large'] },
      { when: { smaller_than: 10 * MB }, tags: ['small'] },
      { when: { search: 'a' }, tags: ['named'] },
    ]
    expect(await addedTo(importItem('a'), { rules })).toEqual({ add: ['named'] })
  })
  it.each([
    ['no rules', { rules: [] }],
    ['a rule without tags', { rules: [{ when: {}, tags: [] }] }],
    ['a bad tag', { rules: [{ when: {}, tags: ['a;b'] }] }],
    ['a condition that is not there', { rules: [{ when: { colour: 'red' }, tags: ['a'] }] }],
    ['a condition of lists', { rules: [{ when: { deleted: true }, tags: ['a'] }] }],
  ])('refuses %s', (_what, options) => {
    expect(tagByRule.options.safeParse(options).success).toBe(false)
  })
  it('describes what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(tagByRule.summary!(tagByRule.options.parse(options)))
    expect(summary({})).toBe('4 rules: ebook, course, pdf, large-file')
    expect(summary({ rules: [{ when: {}, tags: ['a', 'b', 'c', 'd', 'e', 'f'] }] })).toBe(
      '1 rule: a, b, c, d, e …',
    )
  })
})
