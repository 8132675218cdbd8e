// Splits PDF documents into new files: single pages, parts of a number of pages, or ranges of
// pages.
import { z } from 'zod'
import {
  anyPdf,
  definePlugin,
  documentPassword,
  type Item,
  pdfAdvice,
  say,
  sayPlain,
  type StagedBlob,
  stemOf,
} from '../contract/index.ts'
import { createDocuments } from '../_pdf/documents.ts'
import { eachDocument, planDocuments } from '../_pdf/each-document.ts'

const CONCURRENCY = 4
const MAX_RANGES = 200
// The longest stem of a part's name, which leaves space for its number.
const MAX_STEM = 200

const noRange = (input: unknown) =>
  `“${String(input)}” is no range of pages: write it like 1-3, 5 or 7-, from a page to a later one`

const range = z
  .string()
  .trim()
  .regex(/^[1-9]\d{0,5}(-([1-9]\d{0,5})?)?$/, { error: ({ input }) => noRange(input) })
  .refine(
    (text) => {
      const [first, last] = text.split('-')
      return !last || Number(first) <= Number(last)
    },
    { error: ({ input }) => noRange(input) },
  )

const options = z
  .strictObject({
    every: z.int().min(1).max(100_000).optional().meta({
      title: 'Pages of each part',
      help: 'Empty, and no ranges: 1, so that each page becomes a file.',
      suffix: 'pages',
      start: 10,
    }),
    ranges: z.array(range).min(1).max(MAX_RANGES).optional().meta({
      title: 'Or ranges of pages',
      help: 'A part each: 1-3, 5, 7-',
      widget: 'ranges',
      missing: 'Enter pages like 1-3, 5, 8-12',
      placeholder: '1-3, 5, 8-12',
    }),
    password: documentPassword,
  })
  .refine(({ every, ranges }) => every === undefined || ranges === undefined, {
    message: sayPlain('Enter either a number of pages or ranges'),
    path: ['ranges'],
  })
type Options = z.output<typeof options>

/**
 * Outcomes carry the parts as `created`, with the document's tags, settings and products. Items
 * fail with `pdf_page_out_of_range` and the other errors of documents.
 */
export const splitPdf = definePlugin({
  id: 'split-pdf',
  kind: 'act',
  title: 'Split PDF documents',
  actions: [
    {
      group: 'documents',
      labels: {
        action: 'Split PDF documents',
        menu: 'Split PDFs',
        title: 'Split PDFs in {count, plural, one {# file} other {# files}}',
        button: 'Split PDFs',
        running: 'Splitting {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} split',
        result: 'split',
        preview: '{count, plural, one {# file would be split} other {# files would be split}}',
      },
      fits: anyPdf,
    },
  ],
  form: {
    alternatives: [
      {
        title: 'Where to cut',
        choices: [
          { label: 'After every page', fields: [] },
          {
            label: 'After every few pages',
            fields: ['every'],
            titles: { every: 'Pages in each part' },
          },
          { label: 'Into ranges of pages', fields: ['ranges'], titles: { ranges: 'Pages' } },
        ],
      },
    ],
  },
  makesFiles: true,
  report: { when: 'always' },
  advice: {
    ...pdfAdvice,
    pdf_page_out_of_range: 'Start it again with pages that the documents have.',
  },
  options,
  undo: 'fields',
  needs: ['bytes', 'sandbox'],
  bytes: true,
  summary: ({ every = 1, ranges }) => {
    if (ranges)
      return say('Makes parts of the pages {ranges}', { ranges: ranges.join(', ').slice(0, 170) })
    return every === 1
      ? say('Makes a document of every page')
      : say('Makes a document of every {count} pages', { count: every })
  },
  plan: planDocuments,
  run: (items, given, { bytes: port, sandbox, signal }) =>
    eachDocument(items, CONCURRENCY, signal, async (item) => {
      const documents = createDocuments({ bytes: port, sandbox })
      const { parts, warnings } = await documents.split(item, wantedOf(given), signal)
      if (parts.length === 1 && !given.ranges)
        return { unchanged: sayPlain('It has no more pages than one part') }
      return { created: namedParts(item, parts), warnings }
    }),
})

const wantedOf = ({ every = 1, ranges, password }: Options) => ({
  ...(ranges ? { ranges } : { every }),
  ...(password === undefined ? {} : { password }),
})

/**
 * Names the parts of `guide.pdf`, from `guide-01.pdf` on, with numbers of equal length, so that
 * names sort like the parts.
 */
function namedParts({ file }: Item, parts: readonly { bytes: StagedBlob }[]) {
  const stem = [...stemOf(file.filename)].slice(0, MAX_STEM).join('').trim()
  const digits = String(parts.length).length
  return parts.map(({ bytes }, at) => ({
    filename: `${stem}-${String(at + 1).padStart(digits, '0')}.pdf`,
    bytes,
  }))
}
