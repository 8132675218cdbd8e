// The answer of a program: one entry for each file that it was sent. What it may change is what a
// step of a workflow may; each file with an invalid entry fails with the reason.
import { z } from 'zod'
import {
  type AnyText,
  type Failure,
  MAX_NAMED_PRODUCTS,
  onOneLine,
  MAX_NAMED_PACKS,
  packName,
  type ProgramAnswer,
  type ProgramChange,
  say,
  sayFixed,
  sayPlain,
  sentence,
  sentences,
  settingChanges,
} from '../../../plugins/contract/index.ts'
import { AppError, ERRORS, type ErrorDetail } from '../../core/errors.ts'
import { cleanName } from '../../files/rules.ts'
import { filename, tags } from '../../http/schemas.ts'
import { checked } from '../../http/validate.ts'

/** The most bytes of an answer. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Longer texts of a program are cut. */
const MAX_TEXT = 500
const MAX_WARNINGS = 10
const MAX_WAIT_SECONDS = 24 * 60 * 60
/** How many problems of an entry, and how many keys, a message names. */
const MAX_LISTED = 3

const words = z
  .string()
  .overwrite((text) => onOneLine(text).slice(0, MAX_TEXT).toWellFormed())
  .min(1, sayPlain('Give the reason'))
const productText = z.string().min(1).max(255)
const target = z.union([
  z.strictObject({ sku: productText }),
  z.strictObject({ handle: productText }),
  z.strictObject({ id: productText, variant_id: productText.optional() }),
])
const packs = z
  .array(
    z.union([
      z.strictObject({
        id: z.string().regex(/^pack_[0-9a-f]{32}$/, sayPlain('This is not the id of a pack')),
      }),
      z.strictObject({ name: packName }),
    ]),
  )
  .max(MAX_NAMED_PACKS, sayFixed('At most {count} packs', { count: MAX_NAMED_PACKS }))

const targets = z
  .array(target)
  .max(MAX_NAMED_PRODUCTS, sayFixed('At most {count} products', { count: MAX_NAMED_PRODUCTS }))

const changeSchema = z.strictObject({
  set: z
    .strictObject({
      ...settingChanges,
      // A password is no part of an answer.
      ask_for: z.literal('email').nullable().optional(),
      filename: filename.overwrite(cleanName).optional(),
    })
    .optional(),
  tags: z
    .union([
      z.strictObject({ add: tags.optional(), remove: tags.optional() }),
      z.strictObject({ replace: tags }),
    ])
    .optional(),
  products: z
    .strictObject({
      add: targets.optional(),
      remove: z.union([z.literal('all'), targets]).optional(),
    })
    .optional(),
  packs: z
    .strictObject({
      add: packs.optional(),
      remove: z.union([z.literal('all'), packs]).optional(),
    })
    .optional(),
})

const RESULTS = ['change', 'unchanged', 'skipped', 'failed'] as const

const entrySchema = z
  .strictObject({
    key: z.string(),
    change: changeSchema.optional(),
    unchanged: z.union([z.literal(true), words]).optional(),
    skipped: words.optional(),
    failed: words.optional(),
    retryable: z.boolean().default(false),
    retry_after: z.int().min(0).max(MAX_WAIT_SECONDS).optional(),
    warnings: z.array(words).max(MAX_WARNINGS).default([]),
  })
  .refine((entry) => RESULTS.filter((name) => entry[name] !== undefined).length === 1, {
    message: sayPlain('It needs one of change, unchanged, skipped and failed'),
  })
type Entry = z.output<typeof entrySchema>

const answerSchema = z.object({ files: z.array(z.looseObject({ key: z.string() })).max(10_000) })

/** An entry as it was sent, which is checked again when it is used. */
export type SentEntry = z.output<typeof answerSchema>['files'][number]

/** The entries of an answer. Throws `InvalidAnswer`. */
export function readEntries(value: unknown): SentEntry[] {
  const { data, problem } = parsed(answerSchema, value)
  if (!data) throw new InvalidAnswer(problem)
  return data.files
}

/** An answer that cannot be read at all. */
export class InvalidAnswer extends Error {
  readonly text: AnyText
  constructor(text: AnyText) {
    super('An answer is invalid')
    this.text = text
  }
}

/** The answers about the files that were sent, by their keys. */
export function answersIn(
  entries: readonly SentEntry[],
  keys: readonly string[],
): ReadonlyMap<string, ProgramAnswer> {
  const sent = new Set(keys)
  const byKey = Map.groupBy(entries, ({ key }) => key)
  const unknown = [...byKey.keys()].filter((key) => !sent.has(key))
  return new Map(keys.map((key) => [key, answerTo(byKey.get(key) ?? [], unknown)]))
}

function answerTo(entries: readonly SentEntry[], unknown: readonly string[]): ProgramAnswer {
  const [entry, ...others] = entries
  if (entry && others.length === 0) return answerOf(entry)
  if (entry) return badAnswer(say('It has several entries for this file'))
  if (unknown.length === 0) return badAnswer(say('It has no entry for this file'))
  return badAnswer(
    say('It has no entry for this file, but others for keys that were not sent: {keys}', {
      keys: unknown.slice(0, MAX_LISTED).map(shown).join(', '),
    }),
  )
}

const shown = (text: string) => onOneLine(text).slice(0, 40).toWellFormed()

/** The answer in one entry. */
export function answerOf(sent: SentEntry): ProgramAnswer {
  const { data: entry, problem } = parsed(entrySchema, sent)
  return entry ? resultOf(entry) : badAnswer(problem)
}

function resultOf(entry: Entry): ProgramAnswer {
  const { change, unchanged, skipped, failed, retryable, retry_after, warnings } = entry
  // Fields that are absent in JSON are absent here.
  if (change) return { status: 'change', change: change as ProgramChange, warnings }
  if (unchanged !== undefined)
    return {
      status: 'unchanged',
      reason: unchanged === true ? sayPlain('The program left it as it is') : unchanged,
      warnings,
    }
  if (skipped !== undefined) return { status: 'skipped', reason: skipped }
  return {
    status: 'failed',
    code: 'program_refused',
    message: failed ?? ERRORS.program_refused.message,
    retryable,
    ...(retry_after === undefined ? {} : { retry_after }),
  }
}

/** An answer that is invalid for this file. */
export const badAnswer = (detail: AnyText): Failure => ({
  status: 'failed',
  code: 'invalid_answer',
  message: ERRORS.invalid_answer.message,
  detail,
  retryable: false,
})

type Parsed<Schema extends z.ZodType> =
  | { data: z.output<Schema>; problem: null }
  | { data: null; problem: AnyText }

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): Parsed<Schema> {
  try {
    const { data, details } = checked(schema, value)
    if (data !== null) return { data, problem: null }
    return { data: null, problem: sentences(...details.slice(0, MAX_LISTED).map(problemText)) }
  } catch (error) {
    // It is nested too deep.
    if (!(error instanceof AppError)) throw error
    return { data: null, problem: error.text }
  }
}

const problemText = ({ param, message }: ErrorDetail): AnyText =>
  sentence(param === '' ? message : say('{field}: {value}', { field: param, value: message }))
