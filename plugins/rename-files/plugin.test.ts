import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { filenameProblem } from '../../server/files/rules.ts'
import { inEnglish } from '../../test/english.ts'
import { fileItem, importItem, packsPort, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { promisedMs, sized } from '../../test/scale.ts'
import type { Item, Outcome, FileView, Mapping } from '../contract/index.ts'
import { renameFiles } from './plugin.ts'

const product = (product_title: string): Mapping => ({
  product_id: 'gid://shopify/Product/1',
  product_title,
  variant_id: null,
  sku: null,
  method: 'manual',
  score: 1,
  reason: 'test',
})

const planned = (items: readonly Item[], options: Record<string, unknown>): Promise<Outcome[]> =>
  Array.fromAsync(renameFiles.plan(items, renameFiles.options.parse(options), context))
const context = writeContext({
  packs: packsPort([{ id: 'p', name: 'Course/ one', products: [] }]),
})

/** The file's new name, or the reason why it has none. */
function nameOf(outcome: Outcome | undefined, before: string): string {
  if (outcome?.status !== 'ok') throw new Error(JSON.stringify(outcome))
  return outcome.change?.set?.filename ?? before
}

async function renamed(
  filename: string,
  options: Record<string, unknown>,
  more: Partial<FileView> = {},
  position = 0,
) {
  const [outcome] = await planned([fileItem('a', { filename, ...more }, position)], options)
  return nameOf(outcome, filename)
}

const refusals = (options: unknown) =>
  (renameFiles.options.safeParse(options).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  )

pluginSuite(renameFiles, () =>
  Promise.resolve({
    items: [
      fileItem('a', {
        filename: 'draft one.pdf',
        mappings: [product('Sourdough')],
        created_at: '2026-03-01 10:00:00+00',
      }),
      fileItem('b', { filename: 'two.zip' }, 1),
    ],
    options: { pattern: '{date} {product_name} {sequence}' },
    context: writeContext(),
    state: () => null,
  }),
)

describe('a pattern', () => {
  const file = {
    mappings: [product('Bread / Rolls\n & more'), product('Second')],
    created_at: '2026-01-31 23:30:00.5+00',
  }
  it.each<[pattern: string, options: Record<string, unknown>, expected: string]>([
    ['{original}', {}, 'Old.name.PDF'],
    ['{original} v2', {}, 'Old.name v2.PDF'],
    ['{product_name}', {}, 'Bread - Rolls & more.PDF'],
    ['{sequence}', {}, '8.PDF'],
    ['{sequence}', { start: 0, digits: 4 }, '0007.PDF'],
    ['{sequence}', { start: 99_999_999, digits: 3 }, '100000006.PDF'],
    // 23:30 in London is the next day in Berlin, the shop's time zone.
    ['{date}', {}, '2026-02-01.PDF'],
    ['{date}', { date_format: 'D.M.YY HHmm' }, '1.2.26 0030.PDF'],
    ['{date}-{original}-{date}', { date_format: 'YYYYMMDD' }, '20260201-Old.name-20260201.PDF'],
    ['guide.pdf', {}, 'guide.pdf'],
    ['{original}.txt', {}, 'Old.name.txt.PDF'],
    ['{original}.txt', { keep_extension: false }, 'Old.name.txt'],
    ['{original}', { keep_extension: false }, 'Old.name'],
    [' {original} ', {}, 'Old.name.PDF'],
    ['100% $1 $& {original}', {}, '100% $1 $& Old.name.PDF'],
  ])('%s with %j makes %s', async (pattern, options, expected) => {
    expect(await renamed('Old.name.PDF', { pattern, ...options }, file, 7)).toBe(expected)
  })

  it('with a product variable skips a file without a product', async () => {
    expect(await planned([fileItem('a')], { pattern: '{product_name}' })).toEqual([
      { item: 'a', status: 'skipped', reason: 'It has no product to be named after' },
    ])
  })
  it.each<[pattern: string, expected: string]>([
    ['{sku}', 'AB-1 x.PDF'],
    ['{original}_{tags}', 'Old.name_new year, pdf.PDF'],
    ['{pack} - {original}', 'Course- one - Old.name.PDF'],
    ['{original} v{version}', 'Old.name v3.PDF'],
    ['{sku}.{extension}', 'AB-1 x.PDF'],
    ['{extension} {sku}', 'PDF AB-1 x.PDF'],
  ])('%s makes %s', async (pattern, expected) => {
    const mapped = [product('Bread'), { ...product('Rolls'), sku: 'AB-1\n x' }]
    const more = { mappings: mapped, tags: ['new year', 'pdf'], packs: ['p'], version: 3 }
    expect(await renamed('Old.name.PDF', { pattern }, more)).toBe(expected)
  })
  it('uses the SKU that an import named, and only as many tags as there is room for', async () => {
    const tags = Array.from({ length: 30 }, (_, at) => `tag number ${at}`)
    expect(await renamed('a.pdf', { pattern: '{sku}' }, { wanted_sku: 'X/7' })).toBe('X-7.pdf')
    const name = await renamed('a.pdf', { pattern: '{tags}' }, { tags })
    expect(name).toMatch(/^tag number 0, .*tag number \d\.pdf$/)
    expect(name.length).toBeLessThan(110)
  })
  it.each([
    ['{sku}', 'It has no SKU to be named after'],
    ['{tags}', 'It has no tag to be named after'],
    ['{pack}', 'It is in no pack to be named after'],
    ['{original}{extension}', 'It has no extension to be named after'],
  ])('%s skips a file that lacks it', async (pattern, reason) => {
    expect(await planned([fileItem('a', { filename: 'README' })], { pattern })).toEqual([
      { item: 'a', status: 'skipped', reason },
    ])
  })
  it.each([
    ['{sku}-{original}', 'guide.pdf'],
    ['{original} - {sku} - {version}', 'guide - 1.pdf'],
    ['{original} ({sku}) v{version}', 'guide v1.pdf'],
    ['[{pack}] {tags}_{original}', 'guide.pdf'],
    ['No. {sku} {original}', 'No guide.pdf'],
    ['{original}_{tags}.{extension}', 'guide.pdf'],
  ])('%s leaves missing values out with their separators', async (pattern, expected) => {
    expect(await renamed('guide.pdf', { pattern, missing: 'omit' })).toBe(expected)
  })
  it('names the draft of an import too, with today’s date', async () => {
    const [outcome] = await planned([importItem('a', { file: { filename: 'x.pdf' } })], {
      pattern: '{date}',
    })
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(new Date())
    expect(nameOf(outcome, '')).toBe(`${today}.pdf`)
  })
  it('keeps a name without an extension without one, and a name whose only dot is its first character whole', async () => {
    expect(await renamed('README', { pattern: '{original} 2' })).toBe('README 2')
    expect(await renamed('.profile', { pattern: '{original} 2' })).toBe('.profile 2')
  })
  it.each(['{product_name}', '{product_name}.pdf'])(
    '%s is shortened if it is too long, and keeps its extension',
    async (pattern) => {
      const long = await renamed('a.pdf', { pattern }, { mappings: [product('日'.repeat(300))] })
      expect([...long].length).toBe(255)
      expect(long.endsWith('日.pdf')).toBe(true)
    },
  )
  it('fails if it leaves an empty name', async () => {
    expect(
      await planned([fileItem('a', { mappings: [product('\u202e\n')] })], {
        pattern: '{product_name}',
      }),
    ).toEqual([
      expect.objectContaining({ status: 'failed', code: 'invalid_filename', retryable: false }),
    ])
  })

  it.each([
    [{}, 'pattern: Enter a pattern'],
    [{ pattern: ' ' }, 'pattern: Enter a pattern'],
    [
      { pattern: '{title} {Sequence}{}' },
      'pattern: There is no variable {Sequence}: there are {product_name}, {sku}, {tags}, {pack}, {version}, {sequence}, {date}, {original}, {extension}',
    ],
    [{ pattern: 'a/{original}' }, 'pattern: A filename cannot contain / or \\'],
    [
      { pattern: 'a\u202e{original}' },
      'pattern: A filename cannot contain control or text-direction characters',
    ],
    [{ pattern: '{date}', date_format: 'YYYY-MMM' }, 'date_format: Enter the date with YYYY'],
    [{ pattern: '{date}', date_format: 'week' }, 'date_format: Enter the date with YYYY'],
    [{ pattern: '{date}', date_format: '--' }, 'date_format: Enter the date with YYYY'],
    [{ pattern: '{date}', date_format: 'DD/MM' }, 'date_format: A filename cannot contain / or \\'],
    [{ pattern: 'a', digits: 10 }, 'digits: '],
    [{ pattern: 'a', start: -1 }, 'start: '],
    [{ pattern: 'a', mode: 'guess' }, 'mode: '],
  ])('%j is refused', (options, problem) => {
    expect(refusals(options).some((one) => one.startsWith(problem))).toBe(true)
  })
  it('names every unknown variable', () => {
    expect(refusals({ pattern: '{title} {Sequence}{}' })).toHaveLength(3)
  })
})

describe('find and replace', () => {
  // oxfmt-ignore
  const replace = (find: string, by = '', more: Record<string, unknown> = {}) => ({ mode: 'replace', find, replace: by, ...more })
  it.each<[filename: string, options: Record<string, unknown>, expected: string]>([
    ['draft guide draft.pdf', replace('draft'), 'guide.pdf'],
    ['Draft DRAFT draft.pdf', replace('draft', 'final'), 'final final final.pdf'],
    [
      'Draft DRAFT draft.pdf',
      replace('draft', 'final', { case_sensitive: true }),
      'Draft DRAFT final.pdf',
    ],
    ['a.b.pdf', replace('.', '-'), 'a-b.pdf'],
    ['a (1) [x] $5.pdf', replace('(1) [x] $5', '$1 $&'), 'a $1 $&.pdf'],
    ['cafe\u0301.pdf', replace('caf\u00e9', 'tea'), 'tea.pdf'],
    ['pdf.pdf', replace('pdf', 'x'), 'x.pdf'],
    ['pdf.pdf', replace('pdf', 'x', { keep_extension: false }), 'x.x'],
    ['a.jpeg', replace('.jpeg', '.jpg', { keep_extension: false }), 'a.jpg'],
    ['guide.pdf', replace('nothing'), 'guide.pdf'],
    ['IMG_0042.jpg', replace('^IMG_0*(\\d+)$', 'photo $1', { regex: true }), 'photo 42.jpg'],
    [
      '2024-guide.pdf',
      replace('(?<y>\\d{4})-(.+)', '$2 $<y> ${y} $$ $&', { regex: true }),
      'guide 2024 2024 $ 2024-guide.pdf',
    ],
    ['aBc.pdf', replace('[A-Z]', '_', { regex: true, case_sensitive: true }), 'a_c.pdf'],
    ['ÉCOLE.pdf', replace('école', 'x', { regex: true }), 'x.pdf'],
    ['abc.pdf', replace('x*', '-', { regex: true }), '-a-b-c-.pdf'],
    ['(a)|(b).pdf', replace('(a)|(b)', '<$1$2>', { regex: true }), '(<a>)-(<b>).pdf'],
  ])('%s with %j is %s', async (filename, options, expected) => {
    expect(await renamed(filename.replace('|', '-'), options)).toBe(expected)
  })
  it('fails if it leaves an empty name', async () => {
    expect(await planned([fileItem('a', { filename: 'draft.pdf' })], replace('draft'))).toEqual([
      expect.objectContaining({ status: 'failed', message: 'Its name would be empty' }),
    ])
  })

  it.each([
    ['', '', 'find: Enter the text to find'],
    ['a', 'b/c', 'replace: A filename cannot contain / or \\'],
    ['a(?=b)', '', 'find: Look-ahead ((?=) is not available in expressions here'],
    ['a(?!b)', '', 'find: Look-ahead ((?!) is not available in expressions here'],
    ['(?<=a)b', '', 'find: Look-behind ((?<=a)b) is not available in expressions here'],
    ['(a)\\1', '', 'find: A reference back to a group (\\1) is not available in expressions here'],
    [
      '(?<n>a)\\k<n>',
      '',
      'find: A reference back to a group (\\k) is not available in expressions here',
    ],
    ['(?>a)', '', 'find: An atomic group ((?>) is not available in expressions here'],
    ['a++', '', 'find: A possessive repetition (++) is not available in expressions here'],
    ['[a', '', 'find: This expression cannot be read: missing closing ]: `[a`'],
    ['(a{1000}){1000}', '', 'find: This expression cannot be read: invalid repeat count: `{1000}`'],
    ['((a{9}){9}){9}', '', 'find: This expression is too large: reduce its repetitions'],
    ['(a)', '$2', 'replace: The expression has no group $2'],
    ['(a)', '$<b>', 'replace: The expression has no group $<b>'],
    ['(a)', '${constructor}', 'replace: The expression has no group ${constructor}'],
  ])('the expression %s with %s is refused with a reason', (find, by, problem) => {
    expect(refusals(replace(find, by, { regex: true }))).toEqual([problem])
  })

  it('both texts are refused together', () => {
    const slash = 'replace: A filename cannot contain / or \\'
    expect(refusals(replace('[a', 'b/c', { regex: true }))).toEqual([
      expect.stringContaining('find: '),
      slash,
    ])
    expect(refusals(replace('', 'b/c'))).toEqual(['find: Enter the text to find', slash])
  })

  it('an expression with exponential backtracking elsewhere renames many files quickly', async () => {
    const items = Array.from({ length: sized(200, 1000) }, (_, n) =>
      fileItem(String(n), { filename: `${'a'.repeat(250)}.pdf` }, n),
    )
    const begun = performance.now()
    await planned(items, replace('^(a+)+b$', 'x', { regex: true }))
    await planned(items, replace('(a|a)*(a|aa)+$c', 'x', { regex: true }))
    expect(performance.now() - begun).toBeLessThan(promisedMs(10_000))
  })
  it('an expression that runs too long fails, and lets other work run meanwhile', async () => {
    const items = Array.from({ length: 20_000 }, (_, n) =>
      fileItem(String(n), { filename: `${'a'.repeat(250)}.pdf` }, n),
    )
    let turns = 0
    const timer = setInterval(() => turns++, 5)
    const begun = Date.now()
    // With a clock that runs ten times as fast, its five seconds are over in half a second.
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() * 10)
    onTestFinished(() => clock.mockRestore())
    const outcomes = await planned(items, replace('(a{0,12}){0,7}x', 'x', { regex: true }))
    clearInterval(timer)
    expect(Date.now() - begun).toBeLessThan(promisedMs(15_000))
    expect(turns).toBeGreaterThan(5)
    // oxfmt-ignore
    expect(outcomes.at(-1)).toMatchObject({ status: 'failed', message: 'The expression takes too long: make it simpler', retryable: true })
  })
})

describe('with any options', () => {
  const letter = fc.constantFrom(
    'a',
    'B',
    'é',
    'e\u0301',
    '日',
    '🎈',
    '.',
    ' ',
    '-',
    '(',
    '$',
    '{',
    '}',
    '\\',
    '/',
    '\n',
    '\u202e',
    '\ud800',
  )
  const text = fc.array(letter, { maxLength: 12 }).map((parts) => parts.join(''))
  const filename = text
    .filter((name) => filenameProblem(name.normalize('NFC')) === null)
    .map((name) => name.normalize('NFC'))
  const title = fc.oneof(text, fc.string({ unit: 'grapheme', maxLength: 300 }))
  const part = fc.oneof(
    text,
    fc.constantFrom('{product_name}', '{sequence}', '{date}', '{original}'),
  )
  const wish = fc.oneof(
    fc.record({
      pattern: fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
      keep_extension: fc.boolean(),
    }),
    // oxfmt-ignore
    fc.record({ mode: fc.constant('replace'), find: text, replace: text, regex: fc.boolean(), case_sensitive: fc.boolean(), keep_extension: fc.boolean() }),
  )

  it('the result is a valid name or a reason, and the rest of the name stays', async () => {
    let names = 0
    await fc.assert(
      fc.asyncProperty(
        filename,
        title,
        wish,
        fc.nat(5000),
        async (before, product_title, options, position) => {
          if (!renameFiles.options.safeParse(options).success) return
          // oxfmt-ignore
          const item = fileItem('a', { filename: before, mappings: [product(product_title)], created_at: '2026-03-01 10:00:00+00' }, position)
          const [outcome] = await planned([item], options)
          if (outcome!.status !== 'ok') {
            expect(outcome!.status).toBe('failed')
            return
          }
          const after = nameOf(outcome, before)
          // Two names break rules that the code which changes files checks.
          if (after !== '.' && after !== '..')
            expect([after, filenameProblem(after)]).toEqual([after, null])
          names++
          const at = before.lastIndexOf('.')
          if (options.keep_extension && at > 0)
            expect(after.toLowerCase().endsWith(before.slice(at).toLowerCase())).toBe(true)
        },
      ),
      { numRuns: sized(400, 2000) },
    )
    expect(names).toBeGreaterThan(sized(40, 200))
  })
  it('replacing a text with itself keeps the name', async () => {
    await fc.assert(
      fc.asyncProperty(filename, fc.nat(10), fc.nat(10), async (before, from, length) => {
        const find = before.slice(from, from + length)
        if (find === '' || !find.isWellFormed() || find.normalize('NFC') !== find) return
        // oxfmt-ignore
        expect(await renamed(before, { mode: 'replace', find, replace: find, case_sensitive: true, keep_extension: false })).toBe(before)
      }),
    )
  })
})

it('describes what it does', () => {
  const summary = (options: unknown) =>
    inEnglish(renameFiles.summary!(renameFiles.options.parse(options)))
  expect(summary({ pattern: '{date} {original}' })).toBe('Renames files to {date} {original}')
  expect(summary({ mode: 'replace', find: 'a', replace: 'b' })).toBe('Replaces “a” in names by “b”')
  expect(summary({ mode: 'replace', find: 'a+', regex: true })).toBe(
    'Replaces the expression a+ in names by “”',
  )
})
