// Renames files: by a pattern, or by find and replace. This plugin does not check whether a new
// name is free: the code that changes files does, in previews and in runs.
import { z } from 'zod'
import {
  type AnyText,
  type BaseContext,
  definePlugin,
  english,
  type Item,
  type Outcome,
  partsOfNames,
  type ReadContext,
  say,
  sayPlain,
  textIssue,
} from '../contract/index.ts'
import { dateWriter, isDateFormat, KNOWN_TOKENS, timeOf } from './date.ts'
import { replacerOf, type Problem } from './find.ts'
import { fitForName, joinedName, partsOfName, textProblem } from './name.ts'
import { fillPattern, patternParts, VARIABLES, type Variable } from './pattern.ts'

const KNOWN = VARIABLES.map((name) => `{${name}}`).join(', ')

const options = z
  .strictObject({
    // oxfmt-ignore
    mode: z.enum(['pattern', 'replace']).default('pattern').meta({ title: 'How', help: 'By a pattern, or by find and replace.' }),
    pattern: z
      .string()
      .max(255)
      .optional()
      .meta({ title: 'Pattern', help: `Text and any of ${KNOWN}.` }),
    start: z.int().min(0).max(1_000_000_000).default(1).meta({ title: 'The sequence begins with' }),
    digits: z
      .int()
      .min(1)
      .max(9)
      .default(1)
      .meta({ title: 'Digits of the sequence', help: '3: 001, 002, 003.' }),
    date_format: z
      .string()
      .max(50)
      .default('YYYY-MM-DD')
      .meta({
        title: 'Format of the date',
        help: `Of the day a file was uploaded: ${KNOWN_TOKENS}.`,
      }),
    missing: z
      .enum(['skip', 'omit'])
      .default('skip')
      .meta({
        title: 'If a file lacks a value',
        choices: { skip: 'Skip the file', omit: 'Leave the variable out' },
        help: 'A file may have no product, SKU, tag, pack or extension.',
      }),
    find: z.string().max(500).optional().meta({ title: 'Find' }),
    replace: z
      .string()
      .max(255)
      .default('')
      .meta({ title: 'Replace with', help: 'Empty: the found text is removed.' }),
    case_sensitive: z.boolean().default(false).meta({ title: 'Match case' }),
    regex: z.boolean().default(false).meta({
      title: 'Regular expression',
      help: 'RE2: $1 in the replacement is the first group.',
    }),
    keep_extension: z.boolean().default(true).meta({
      title: 'Keep the extension',
      help: 'Off: the pattern or the text to find applies to the whole name.',
    }),
  })
  .superRefine((wanted, context) => {
    for (const { path, message } of problemsOf(wanted))
      context.addIssue({ ...textIssue(message), path: [path] })
  })

type Options = z.output<typeof options>

function problemsOf(wanted: Options): Problem[] {
  if (wanted.mode === 'pattern')
    return [...patternProblems(wanted.pattern ?? ''), ...dateProblems(wanted)]
  const { find = '', replace } = wanted
  const wrong = textProblem(replace)
  // A backslash has no special meaning in a replacement.
  const replacer = replacerOf({ ...wanted, find, replace: wrong ? '' : replace })
  return [
    ...(find === '' ? [{ path: 'find', message: sayPlain('Enter the text to find') }] : []),
    ...('message' in replacer ? [replacer] : []),
    ...(wrong ? [{ path: 'replace', message: wrong }] : []),
  ]
}

function patternProblems(pattern: string): Problem[] {
  const problem = (message: AnyText) => ({ path: 'pattern', message })
  if (pattern.trim() === '') return [problem(sayPlain('Enter a pattern'))]
  const unknown = patternParts(pattern).flatMap((part) => part.unknown ?? [])
  const wrong = textProblem(pattern)
  return [
    ...unknown.map((name) =>
      problem(say('There is no variable {name}: there are {known}', { name, known: KNOWN })),
    ),
    ...(wrong ? [problem(wrong)] : []),
  ]
}

function dateProblems({
  pattern = '',
  date_format,
}: Pick<Options, 'pattern' | 'date_format'>): Problem[] {
  if (!pattern.includes('{date}')) return []
  const problem = (message: AnyText) => ({ path: 'date_format', message })
  if (!isDateFormat(date_format))
    return [
      problem(say('Enter the date with {tokens}, and no other letters', { tokens: KNOWN_TOKENS })),
    ]
  const wrong = textProblem(date_format)
  return wrong ? [problem(wrong)] : []
}

/** A new name, or the reason why there is none. */
type NamingResult = { name: string } | { skipped: string }
type Namer = (item: Item) => NamingResult

/**
 * Time limit of an expression for one batch, in milliseconds: others wait, and a transaction is
 * open.
 */
const MAX_MS = 5000
const YIELD_AFTER_MS = 20

const foundAndReplaced = ({ find, replace }: Pick<Options, 'find' | 'replace'>) => ({
  find: String(find),
  replace,
})

export const renameFiles = definePlugin({
  id: 'rename-files',
  kind: 'act',
  title: 'Rename files',
  actions: [
    {
      group: 'organize',
      body: 'rename',
      labels: {
        action: 'Rename files',
        menu: 'Rename',
        title: 'Rename {count, plural, one {# file} other {# files}}',
        button: 'Rename {count, plural, one {# file} other {# files}}',
        running: 'Renaming {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} renamed',
        result: 'renamed',
        preview:
          '{count, plural, one {# file would get a new name} other {# files would get a new name}}',
      },
    },
  ],
  form: {
    alternatives: [
      {
        title: 'How',
        choices: [
          {
            label: 'By a pattern',
            fields: ['pattern', 'start', 'digits', 'date_format', 'missing'],
            set: { mode: 'pattern' },
          },
          {
            label: 'By find and replace',
            fields: ['find', 'replace', 'case_sensitive', 'regex'],
            set: { mode: 'replace' },
          },
        ],
      },
    ],
  },
  options,
  undo: 'fields',
  ordered: true,
  needs: ['packs'],
  summary: (wanted) =>
    wanted.mode === 'pattern'
      ? say('Renames files to {pattern}', { pattern: String(wanted.pattern) })
      : wanted.regex
        ? say('Replaces the expression {find} in names by “{replace}”', foundAndReplaced(wanted))
        : say('Replaces “{find}” in names by “{replace}”', foundAndReplaced(wanted)),
  async *plan(items, wanted, context) {
    const nameOf = namingOf(wanted, context, await packNames(items, wanted, context))
    const begun = performance.now()
    let breathed = begun
    for (const item of items) {
      context.signal.throwIfAborted()
      const now = performance.now()
      if (now - breathed > YIELD_AFTER_MS) {
        await new Promise(setImmediate)
        breathed = now
      }
      yield now - begun > MAX_MS ? tooSlow(item) : outcomeOf(item, nameOf(item))
    }
  },
})

function outcomeOf(item: Item, named: NamingResult): Outcome {
  if ('skipped' in named) return { item: item.id, status: 'skipped', reason: named.skipped }
  const { name: filename } = named
  if (filename === item.file.filename)
    return { item: item.id, status: 'ok', unchanged: sayPlain('Its name would be the same') }
  if (filename !== '') return { item: item.id, status: 'ok', change: { set: { filename } } }
  const message = sayPlain('Its name would be empty')
  return { item: item.id, status: 'failed', code: 'invalid_filename', message, retryable: false }
}

const tooSlow = ({ id: item }: Item): Outcome => ({
  item,
  status: 'failed',
  code: 'plugin_failed',
  retryable: true,
  message: sayPlain('The expression takes too long: make it simpler'),
})

type PackNames = ReadonlyMap<string, string>

/** The names of the first packs of these files by their ids, if the pattern needs them. */
async function packNames(
  items: readonly Item[],
  { mode, pattern = '' }: Options,
  { packs }: Pick<ReadContext, 'packs'>,
): Promise<PackNames> {
  const names = new Map<string, string>()
  if (mode !== 'pattern' || !pattern.includes('{pack}')) return names
  const ids = [...new Set(items.flatMap(({ file }) => file.packs.slice(0, 1)))]
  const shelf = await packs.read({ ids })
  for (const id of ids) {
    const pack = shelf.get(id)
    if (pack) names.set(id, pack.name)
  }
  return names
}

function namingOf(wanted: Options, context: BaseContext, packs: PackNames): Namer {
  if (wanted.mode === 'pattern') return byPattern(wanted, context, packs)
  const { find = '', keep_extension } = wanted
  const replacer = replacerOf({ ...wanted, find })
  if ('message' in replacer) throw new Error(english(replacer.message))
  return ({ file }) => {
    const name = file.filename.normalize('NFC')
    if (!keep_extension) return { name: joinedName(replacer(name), '') }
    const { stem, extension } = partsOfName(name)
    return { name: joinedName(replacer(stem), extension) }
  }
}

/** Whether the pattern contains the extension, which is then not appended a second time. */
const endsWith = (pattern: string, extension: string) =>
  pattern.toLowerCase().endsWith(extension.toLowerCase()) ||
  (extension !== '' && pattern.endsWith('.{extension}'))

/** Why a file that lacks a value is skipped. */
const LACKING: Partial<Record<Variable, string>> = {
  product_name: sayPlain('It has no product to be named after'),
  sku: sayPlain('It has no SKU to be named after'),
  tags: sayPlain('It has no tag to be named after'),
  pack: sayPlain('It is in no pack to be named after'),
  extension: sayPlain('It has no extension to be named after'),
}

function byPattern(
  { pattern = '', start, digits, date_format, keep_extension, missing }: Options,
  { shop }: BaseContext,
  packs: PackNames,
): Namer {
  const written = dateWriter(date_format, shop.settings.time_zone)
  const parts = patternParts(pattern)
  return ({ file, position }) => {
    const { stem, extension } = partsOfName(file.filename)
    // Null: the file lacks it.
    const values: Record<Variable, () => string | null> = {
      product_name: () => file.mappings[0]?.product_title ?? null,
      sku: () =>
        file.mappings.find(({ sku }) => sku !== null)?.sku ??
        partsOfNames(file.wanted_sku ?? '')[0] ??
        null,
      tags: () => (file.tags.length === 0 ? null : joinedTags(file.tags)),
      pack: () => packs.get(file.packs[0] ?? '') ?? null,
      extension: () => (extension === '' ? null : extension.slice(1)),
      version: () => String(file.version ?? 1),
      sequence: () => String(start + position).padStart(digits, '0'),
      date: () => written(file.created_at === null ? new Date() : timeOf(file.created_at)),
      original: () => stem,
    }
    const filled = fillPattern(parts, (variable) => {
      const value = values[variable]()
      return value !== null && CLEANED.has(variable) ? fitForName(value) : value
    })
    const lacking = filled.lacking && LACKING[filled.lacking]
    if (lacking && missing === 'skip') return { skipped: lacking }
    const { name } = filled
    if (!keep_extension) return { name: joinedName(name, '') }
    if (!endsWith(pattern, extension)) return { name: joinedName(name, extension) }
    // The pattern contains the extension, which must not be cut.
    const end = name.length - extension.length
    return { name: joinedName(name.slice(0, end), name.slice(end)) }
  }
}

/** Values that were no names before. */
const CLEANED: ReadonlySet<Variable> = new Set(['product_name', 'sku', 'tags', 'pack'])
const MAX_TAGS_LENGTH = 100

/** As many of the tags as there is room for, at least one: `guide, sailing`. */
function joinedTags([first = '', ...others]: readonly string[]): string {
  let text = first
  for (const tag of others) {
    if (text.length + tag.length > MAX_TAGS_LENGTH) break
    text += `, ${tag}`
  }
  return text
}
