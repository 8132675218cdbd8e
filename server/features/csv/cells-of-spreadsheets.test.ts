// What spreadsheets of other countries write into cells and first lines.
import { english } from '../../../plugins/contract/index.ts'
import { describe, expect, it } from 'vitest'
import { plainCell } from '../../files/cells.ts'
import { FIELDS, suggestColumns, type CsvField } from './columns.ts'
import { detectFormat } from './format.ts'
import { readValues, shapeProblem } from './row-values.ts'
import { isBlank } from './rows.ts'

const places = Object.fromEntries(FIELDS.map((field, at) => [field, at])) as Record<
  CsvField,
  number
>
const valuesOf = (cells: Partial<Record<CsvField, string>>) => {
  const all = { filename: 'a.pdf', file_url: 'https://example.com/a.pdf', ...cells }
  return readValues(
    FIELDS.map((field) => all[field as keyof typeof all] ?? ''),
    places,
  )
}

describe('a number', () => {
  it.each([
    ['30', 30],
    ['30.0', 30],
    ['30,00', 30],
    ['1E+01', 10],
    ['1,5E+01', 15],
    ['1\u00a0000', 1000],
    ['1\u202f000', 1000],
    ['1 000', 1000],
    ["1'000", 1000],
    ['\u200b30\u00a0', 30],
    ['="30"', 30],
    ['３０', 30],
    ['٣٠', 30],
    ['۳۰', 30],
    ['३०', 30],
    ['٣٠٫٠', 30],
    ['+30', 30],
    ['never', null],
    ['Unbegrenzt', null],
    ['無期限', null],
    ['NULL', undefined],
  ])('%j is %j', (expiry_days, value) => {
    expect(valuesOf({ expiry_days })).toMatchObject({
      values: { expiry_days: value },
      problems: [],
    })
  })
  it.each(['-1', '0', '1E-01', '1.5', '30 days', '1 00'])('%j is none', (expiry_days) => {
    const { problems } = valuesOf({ expiry_days })
    expect(problems).toMatchObject([{ field: 'expiry_days', severity: 'error' }])
    expect(english(problems[0]!.message)).not.toContain('0 or more')
  })
})

it.each([
  ['both', 'both'],
  ['View only', 'view_only'],
  ['', undefined],
])('the view %j is %j', (view, value) => {
  expect(valuesOf({ view })).toMatchObject({ values: { view: value }, problems: [] })
  expect(valuesOf({ view: `${view}?` }).problems).toMatchObject([
    { field: 'view', severity: 'error', code: 'invalid_value' },
  ])
})

it.each([
  ['yes', true],
  ['TRUE', true],
  ['1', true],
  ['1.0', true],
  ['on', true],
  ['Wahr', true],
  ['Sí', true],
  ['はい', true],
  ['no', false],
  ['FALSCH', false],
  ['0', false],
  ['０', false],
  ['off', false],
  ['não', false],
  ['', undefined],
])('the switch %j is %j', (cdn, value) => {
  expect(valuesOf({ cdn, download_tracking: cdn })).toMatchObject({
    values: { cdn: value, download_tracking: value },
    problems: [],
  })
})

it.each([
  ['shop.example.com; *.Example.com', ['shop.example.com', '*.example.com']],
  ['https://bücher.example/a', ['xn--bcher-kva.example']],
  ['any', []],
  ['any;', ['any']],
  ['', undefined],
])('the sites %j are %j', (allowed_referrers, value) => {
  const { values, problems } = valuesOf({ allowed_referrers })
  expect([values.allowed_referrers, problems]).toEqual([value, []])
})

it.each([
  ['Kit', { packs: ['Kit'] }],
  ['None', { packs: [] }],
  ['\\none', { packs: ['none'] }],
  ['A; B;A;', { packs: ['A', 'B'], whole: 'A; B;A;' }],
  ['A\\;B;\\+5', { packs: ['A;B', '+5'] }],
  ['+A;-B;+C', { packs: ['A', 'C'], packs_removed: ['B'], whole: '+A;-B;+C' }],
  ['-5% off', { packs: [], packs_removed: ['5% off'], whole: '-5% off' }],
  ['', undefined],
])('the pack %j is %j', (pack, value) => {
  const { values, problems } = valuesOf({ pack })
  expect([values.pack, problems]).toEqual([value, []])
})

it.each([
  ['visibility', 'secret', 'This is none of private, public'],
  ['cdn', 'maybe', 'This is none of yes, no, true, false, on, off, 1, 0'],
  [
    'allowed_referrers',
    'a.example;b c!',
    'c!: Enter a host, like shop.example.com or *.example.com',
  ],
  ['sample_seconds', '4', 'This is not a number from 5 to 600'],
  ['pack', 'a/b', 'A pack’s name cannot contain / or \\'],
  [
    'pack',
    'A;+B',
    'Either all packs have a + or a -, or none: write \\+ or \\- for a name that begins with one',
  ],
] as const)('%s cannot be %j', (field, value, message) => {
  const { problems } = valuesOf({ [field]: value })
  expect(
    problems.map(({ code: _, ...one }) => ({ ...one, message: english(one.message) })),
  ).toEqual([{ field, severity: 'error', message, value }])
})

it('the address that an export gives is not fetched, and a password is kept', () => {
  const own = `file_${'a'.repeat(32)}`
  const row = (cells: Partial<Record<CsvField, string>>, match: 'id' | 'filename') =>
    readValues(
      FIELDS.map(
        (field) =>
          ({ file_url: `https://files.example/api/files/${own}/content`, ...cells })[
            field as 'id'
          ] ?? '',
      ),
      places,
      match,
    )
  expect(row({ filename: 'a.pdf' }, 'filename').values.fetches).toBe(false)
  expect(row({ id: own, command: 'update' }, 'id').values.fetches).toBe(false)
  expect(row({ filename: 'a.pdf' }, 'id').values.fetches).toBe(true)
  const asked = { filename: 'a.pdf', ask_for: 'password' }
  expect(row({ ...asked, command: 'update' }, 'filename').problems).toEqual([])
  // A new file would have none.
  expect(row(asked, 'filename').problems).toMatchObject([{ field: 'ask_for', severity: 'error' }])
})

it('a marked text is no word for something else', () => {
  const { values, problems } = valuesOf({
    customer_tag: "'null",
    tags: "'#REF!",
    filename: "'caf\ufffd.pdf",
  })
  expect([values.customer_tag, values.tags, values.filename]).toEqual([
    'null',
    ['#REF!'],
    'caf\ufffd.pdf',
  ])
  expect(problems).toEqual([])
})

it('a column of another program with a similar header is only suggested if its cells fit', () => {
  const suggested = (header: string, cell: string) =>
    Object.entries(suggestColumns([header], [[cell]])).flatMap(([field, one]) =>
      one ? [field] : [],
    )
  expect(suggested('Tracking number', 'DHL 1234')).toEqual([])
  expect(suggested('Tracking of downloads', 'yes')).toEqual(['download_tracking'])
  expect(suggested('notify', 'maybe')).toEqual(['download_notification'])
})

describe('a day', () => {
  it.each([
    ['2027-03-01', '2027-03-01'],
    ['2027/3/1', '2027-03-01'],
    ['2027.03.01', '2027-03-01'],
    ['2027. 3. 1.', '2027-03-01'],
    ['2027年3月1日', '2027-03-01'],
    ['2027년 3월 1일', '2027-03-01'],
    ['٢٠٢٧-٠٣-٠١', '2027-03-01'],
    ['2027-03-01 00:00:00', '2027-03-01'],
    ['2027-03-01T00:00:00.000Z', '2027-03-01'],
    ['none', null],
    ['never', null],
    ['', undefined],
  ])('%j is %j', (available_from, day) => {
    const { values, problems } = valuesOf({ available_from })
    expect([values.available_from, problems]).toEqual([day, []])
  })
  // Days first, months first, a workbook's number of a day, and days that do not exist.
  it.each([
    '01.03.2027',
    '3/1/2027',
    '1 March 2027',
    '46447',
    '2027-02-30',
    '2027-13-01',
    '27-03-01',
  ])('%j is none', (available_from) => {
    const { values, problems } = valuesOf({ available_from })
    expect(values.available_from).toBeUndefined()
    expect(problems).toMatchObject([{ field: 'available_from', severity: 'error' }])
  })
})

it('the other terms of time are read, and `none` ends them', () => {
  const terms = { available_after_days: '7', first_use_hours: '48', customer_tag: ' Subscriber ' }
  expect(valuesOf(terms)).toMatchObject({
    values: { available_after_days: 7, first_use_hours: 48, customer_tag: 'Subscriber' },
    problems: [],
  })
  const none = { available_after_days: 'none', first_use_hours: 'None', customer_tag: 'none' }
  expect(valuesOf(none)).toMatchObject({
    values: { available_after_days: null, first_use_hours: null, customer_tag: null },
    problems: [],
  })
  // A membership may be called like an unlimited term, or like the German month of May.
  for (const customer_tag of ['unlimited', 'never', 'なし', 'Mai', 'nie', '∞'])
    expect(valuesOf({ customer_tag })).toMatchObject({ values: { customer_tag }, problems: [] })
  for (const customer_tag of ['a,b', 'x'.repeat(256)])
    expect(valuesOf({ customer_tag }).problems).toMatchObject([{ field: 'customer_tag' }])
})

it.each(['="a"', '=1+1.pdf', '＝a.pdf', "'a.pdf", "'=a.pdf"])(
  'the exported name %j is read as it was',
  (filename) => {
    const file_url = 'https://example.com/a'
    const { values, problems } = valuesOf({ filename: plainCell(filename), file_url })
    expect([values.filename, problems]).toEqual([filename, []])
  },
)

it.each([
  'guide (1).pdf (https://example.com/a(1).pdf)',
  '[Guide](https://example.com/a(1).pdf)',
  '<https://example.com/a(1).pdf>',
  '"https://example.com/a(1).pdf"',
  '<a class="x" href="https://example.com/a(1).pdf" target="_blank">Guide</a>',
  '=HYPERLINK("https://example.com/a(1).pdf";"Guide")',
])('the address in %j is read', (file_url) => {
  expect(valuesOf({ file_url })).toMatchObject({
    values: { file_url: 'https://example.com/a(1).pdf' },
    problems: [],
  })
})

it('several addresses with their names are a problem of the cell', () => {
  const file_url = 'a.pdf (https://example.com/a.pdf),b.pdf (https://example.com/b.pdf)'
  expect(valuesOf({ file_url }).problems.map(({ message }) => english(message))).toEqual([
    'This cell has 2 addresses: write one row for each file',
  ])
})

it.each([
  ['filename', '#NAME?', 'error'],
  ['tags', '#REF!', 'error'],
  ['product_sku', '#WERT!', 'warning'],
])('a %s of %j is a formula without a result', (field, text, severity) => {
  const message = 'The formula of this cell has no result'
  expect(valuesOf({ [field]: text }).problems).toMatchObject([{ field, severity, message }])
})

it('a line with the end of a file of DOS is blank', () => {
  expect(isBlank(['\u001a'])).toBe(true)
  expect(valuesOf({ tags: 'one\u001a' })).toMatchObject({ values: { tags: ['one'] }, problems: [] })
})

it.each(['="EB-001"', '\u200bEB-001\u00a0', '\ufeffEB-001', ' EB-001 '])(
  'the SKU %j is EB-001, without a warning',
  (product_sku) => {
    expect(valuesOf({ product_sku })).toMatchObject({
      values: { product_sku: 'EB-001' },
      problems: [],
    })
  },
)

it('a row may leave out its last cells, and have more empty ones', () => {
  const headers = ['filename', 'file_url', 'tags']
  expect(shapeProblem(['a.pdf', 'https://example.com/'], headers)).toBeNull()
  expect(shapeProblem(['a.pdf', 'https://example.com/', '', '', ' '], headers)).toBeNull()
  expect(shapeProblem(['a.pdf', 'https://example.com/', '', 'x'], headers)).toMatchObject({
    code: 'invalid_csv',
  })
})

it.each(['sep=;\n', 'sep =;\r\n', '"sep=;"\r\n', 'SEP=;\n', '"sep=;";;\n', 'sep= ;\n'])(
  'the first line %j names the delimiter',
  (line) => {
    const { delimiter, skipped } = detectFormat(`${line}filename;file_url\na,b;c\n`)
    expect({ delimiter, skipped }).toEqual({ delimiter: ';', skipped: line.length })
  },
)

describe('a cell without a value', () => {
  it.each(['NULL', 'null', '(null)', '\\N', '#N/A', '#NV', 'NaN'])('%s is empty', (text) => {
    const cells = { product_sku: text, expiry_days: text, download_limit: text, tags: text }
    expect(valuesOf(cells)).toMatchObject({
      values: {
        product_sku: '',
        expiry_days: undefined,
        download_limit: undefined,
        tags: undefined,
      },
      problems: [],
    })
  })
})
