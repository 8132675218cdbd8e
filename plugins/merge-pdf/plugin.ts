// Merges several PDF documents into a new one, in the order of the selection. The originals stay
// unchanged.
import { z } from 'zod'
import {
  definePlugin,
  documentPassword,
  type FinishedItem,
  type Item,
  nonPdfReason,
  type OperationView,
  pdfAdvice,
  PortError,
  say,
  sayPlain,
  stemOf,
  textOf,
  UNSAFE_CHARACTERS,
  type Warning,
} from '../contract/index.ts'
import { createDocuments, MAX_MERGED, tooManyText } from '../_pdf/documents.ts'

const MIN = 2

const options = z.strictObject({
  filename: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .refine((name) => name.isWellFormed() && !UNSAFE_CHARACTERS.test(name) && !/[\\/]/.test(name), {
      message: sayPlain('This name cannot be a filename'),
    })
    .default('Merged.pdf')
    .meta({ title: 'Name of the new file' }),
  password: documentPassword,
})

/**
 * Reports the merged document as `created`. Throws `PortError`, which names a document that cannot
 * be merged.
 */
export const mergePdf = definePlugin({
  id: 'merge-pdf',
  kind: 'act',
  title: 'Merge PDF documents',
  actions: [
    {
      group: 'documents',
      body: 'merge',
      labels: {
        action: 'Merge PDF documents',
        menu: 'Merge PDFs',
        title: 'Merge {count, plural, one {# PDF} other {# PDFs}} into one',
        button: 'Merge PDFs',
        running: 'Merging {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} merged',
        result: 'merged',
        note: 'The original documents do not change.',
      },
      fits: {
        rules: [
          {
            rule: 'ticked',
            most: MAX_MERGED,
            why: `Tick the PDFs one by one, up to ${MAX_MERGED}: you choose their order`,
          },
          {
            rule: 'some',
            files: { extensions: ['pdf'] },
            least: MIN,
            why: 'Select at least two PDFs',
          },
          {
            rule: 'every',
            files: { extensions: ['pdf'] },
            why: 'Select only PDFs: {filename} is not a PDF',
          },
        ],
      },
      preview: 'none',
    },
  ],
  makesFiles: true,
  report: { when: 'always' },
  advice: pdfAdvice,
  options,
  undo: 'fields',
  needs: ['bytes', 'sandbox'],
  scope: 'operation',
  ledger: false,
  summary: ({ filename }) =>
    say('Makes one document, {name}', { name: nameOf(filename).slice(0, 180) }),
  async *plan(operation, { filename }, { signal }) {
    signal.throwIfAborted()
    const { items, leftOut } = await documentsOf(operation)
    yield say('Makes one document of {count}, in their order: {name}', {
      count: items.length,
      name: nameOf(filename),
    })
    for (const { message } of leftOut) yield message
  },
  run: async (operation, { filename, password }, { bytes: port, sandbox, signal }) => {
    signal.throwIfAborted()
    const { items, leftOut } = await documentsOf(operation)
    const { bytes, warnings } = await createDocuments({ bytes: port, sandbox }).merge(
      items,
      password === undefined ? {} : { password },
      signal,
    )
    return { warnings: [...leftOut, ...warnings], created: [{ filename: nameOf(filename), bytes }] }
  },
})

const nameOf = (filename: string) => `${stemOf(filename)}.pdf`

/** The documents to merge, and those that are left out: an earlier step failed on them. */
async function documentsOf(
  operation: OperationView,
): Promise<{ items: Item[]; leftOut: Warning[] }> {
  const { total } = operation
  if (total > MAX_MERGED) throw new PortError('too_many', tooManyText(total), false)
  const [good, bad]: [Item[], FinishedItem[]] = [[], []]
  for await (const page of operation.items()) {
    for (const item of page)
      if (item.status === 'failed' || item.status === 'cancelled') bad.push(item)
      else good.push(item)
  }
  if (good.length < MIN)
    throw new PortError('too_few', sayPlain('Select at least two documents'), false)
  for (const { file } of good) {
    const why = nonPdfReason(file)
    if (why)
      throw new PortError(
        'not_a_pdf',
        say('{filename}: {reason}', { filename: file.filename, reason: textOf(why) }),
        false,
      )
  }
  return { items: good, leftOut: bad.map(({ file, error }) => leftOutFor(file.filename, error)) }
}

const leftOutFor = (filename: string, error: FinishedItem['error']): Warning => ({
  code: error?.code ?? 'skipped',
  message: say('{name} was left out: {why}', {
    name: filename,
    why: textOf(error?.message ?? say('it was cancelled')),
  }),
})
