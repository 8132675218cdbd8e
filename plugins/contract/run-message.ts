// Messages about a run to people whom a workflow names: texts of the merchant with variables of the
// run, or one message for each file with variables of it too.
import { z } from 'zod'
import { dayAt } from './days.ts'
import type { FinishedItem, OperationView } from './operation.ts'
import { english, say, sayFixed, sayPlain, textIssue } from './text.ts'
import { sizeText } from './size.ts'
import { UNSAFE_CHARACTERS } from './rules.ts'

const OF_RUN = ['workflow', 'shop', 'date', 'total', 'done', 'failed', 'skipped'] as const
/** Of one message about all files. */
const OF_FILES = ['files', 'list'] as const
/** Of a message about one file. */
const OF_FILE = ['name', 'size', 'tags', 'products', 'sku', 'reason'] as const
type Variable = (typeof OF_RUN)[number] | (typeof OF_FILES)[number] | (typeof OF_FILE)[number]

const variablesOf = (each: boolean): readonly Variable[] => [
  ...OF_RUN,
  ...(each ? OF_FILE : OF_FILES),
]
const named = (names: readonly string[]) => names.map((name) => `{${name}}`).join(', ')

/** The most files that a list names. */
const MAX_LISTED = 50
/** The most messages of one run, if each file has its own. */
const MAX_EACH = 50

export const messageVariablesHelp = `Text and any of ${named(variablesOf(false))}. For each file: ${named(OF_FILE)} in place of ${named(OF_FILES)}.`

/** The options that say what messages are about, and how many a run sends. */
export const messageFields = {
  about: z
    .enum(['done', 'failed', 'all'])
    .default('done')
    .meta({
      title: 'About',
      help: 'If there is no such file, nothing is sent.',
      choices: { done: 'Files that are done', failed: 'Files that failed', all: 'All files' },
    }),
  each: z.boolean().default(false).meta({
    title: 'One for each file',
    help: 'Off: one for the whole run.',
  }),
  most: z.int().min(1).max(MAX_EACH).default(10).meta({
    title: 'The most of one run',
    help: 'If each file has its own: further files are only counted.',
  }),
}

/** A text of the merchant. */
export const ownText = (most: number, { long = false } = {}) =>
  z
    .string()
    .trim()
    .min(1, sayPlain('Enter a text'))
    .max(most, sayFixed('Enter at most {count} characters', { count: most }))
    .refine(
      (text) => !UNSAFE_CHARACTERS.test(long ? text.replaceAll(/[\r\n\t]/g, ' ') : text),
      sayPlain('A text cannot contain control characters'),
    )

interface Texts {
  title: string
  text: string
}

interface About {
  about: 'done' | 'failed' | 'all'
  each: boolean
  most: number
}

/** Adds the problems of the variables in these texts, by the names of their options. */
export function checkVariables(
  texts: Readonly<Record<string, string>>,
  { each }: Pick<About, 'each'>,
  context: z.RefinementCtx,
): void {
  const known = variablesOf(each)
  for (const [path, text] of Object.entries(texts))
    for (const name of new Set(namesIn(text)))
      if (!known.some((one) => one === name))
        context.addIssue({
          ...textIssue(
            say('There is no variable {name}: there are {known}', {
              name: `{${name}}`,
              known: named(known),
            }),
          ),
          path: [path],
        })
}

const VARIABLE = /\{([^{}\n]{0,50})\}/g
const namesIn = (text: string) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name)

export interface RunMessages {
  messages: Texts[]
  /** Files that have no message of their own, because the run has too many. */
  left: number
}

/** The messages of a run with its options; none if it has no such files. */
export async function runMessages(
  operation: OperationView,
  { title, text }: Texts,
  { about, each, most }: About,
  shop: { name: string; settings: { time_zone: string } },
): Promise<RunMessages> {
  const counted = { done: operation.done, failed: operation.failed, all: operation.total }[about]
  if (counted === 0) return { messages: [], left: 0 }
  const files = await filesOf(operation, about, each ? most : MAX_LISTED)
  const run: Partial<Record<Variable, string>> = {
    workflow: operation.title,
    shop: shop.name,
    date: dayAt(new Date(), shop.settings.time_zone),
    total: String(operation.total),
    done: String(operation.done),
    failed: String(operation.failed),
    skipped: String(operation.skipped),
  }
  const write = (values: Partial<Record<string, string>>): Texts => ({
    title: filled(title, values).replaceAll(/\s+/g, ' '),
    text: filled(text, values),
  })
  if (each)
    return {
      messages: files.map((file) => write({ ...run, ...valuesOf(file) })),
      left: Math.max(0, counted - files.length),
    }
  const more = counted > files.length ? [`… +${counted - files.length}`] : []
  const list = [...files.map((file) => `- ${lineOf(file)}`), ...more].join('\n')
  return { messages: [write({ ...run, files: String(counted), list })], left: 0 }
}

/** The value is inserted as text: a variable in it stays as it is. */
const filled = (text: string, values: Partial<Record<string, string>>): string =>
  text.replaceAll(VARIABLE, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  )

async function filesOf(
  operation: OperationView,
  about: About['about'],
  most: number,
): Promise<FinishedItem[]> {
  const files: FinishedItem[] = []
  for await (const page of operation.items())
    for (const item of page) {
      if (about !== 'all' && item.status !== about) continue
      files.push(item)
      if (files.length === most) return files
    }
  return files
}

const reasonOf = ({ error }: FinishedItem): string => (error ? english(error.message) : '')

const lineOf = (item: FinishedItem): string =>
  item.status === 'failed' && item.error
    ? `${item.file.filename}: ${reasonOf(item)}`
    : item.file.filename

const valuesOf = (item: FinishedItem): Partial<Record<Variable, string>> => {
  const { filename, size_bytes, tags, mappings } = item.file
  return {
    name: filename,
    size: size_bytes === null ? '' : english(sizeText(size_bytes)),
    tags: tags.join(', '),
    products: [...new Set(mappings.map(({ product_title }) => product_title))].join(', '),
    sku: mappings.flatMap(({ sku }) => sku ?? []).join(', '),
    reason: reasonOf(item),
  }
}
