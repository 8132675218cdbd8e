// Makes PDF documents smaller: encodes images again and compresses everything else. They can be
// linearized too.
import { z } from 'zod'
import {
  definePlugin,
  anyPdf,
  documentPassword,
  pdfAdvice,
  say,
  phrases,
} from '../contract/index.ts'
import { createDocuments } from '../_pdf/documents.ts'
import { eachDocument, planDocuments } from '../_pdf/each-document.ts'

// Documents are fetched and stored while others are processed.
const CONCURRENCY = 4

const options = z.strictObject({
  max_px: z.int().min(100).max(16_000).default(2000).meta({
    title: 'Longer side of images at most (pixels)',
    help: 'Smaller images are not enlarged.',
    suffix: 'pixels',
  }),
  quality: z
    .int()
    .min(1)
    .max(100)
    .default(75)
    .meta({ title: 'Quality of images (%)', suffix: '%' }),
  linearize: z.boolean().default(true).meta({
    title: 'Optimize for web viewing',
    help: 'The first page is shown while the rest still loads. This can make a document up to 5 % larger.',
  }),
  preserve_original: z.boolean().default(true).meta({
    title: 'Keep the original',
    help: 'As a version of the file. Otherwise it is deleted after 7 days, when undo is no longer possible. An import keeps only the result.',
  }),
  password: documentPassword,
})

/**
 * Outcomes carry `bytes`. Items fail with `pdf_encrypted`, `pdf_damaged`, `not_a_pdf`, and the
 * limits of the sandbox.
 */
export const optimizePdf = definePlugin({
  id: 'optimize-pdf',
  kind: 'optimize',
  title: 'Optimize PDF documents',
  actions: [
    {
      group: 'documents',
      labels: {
        action: 'Optimize PDF documents',
        menu: 'Optimize PDFs',
        title: 'Optimize PDFs in {count, plural, one {# file} other {# files}}',
        button: 'Optimize PDFs',
        running: 'Optimizing PDFs in {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} done',
        result: 'optimized',
      },
      fits: anyPdf,
    },
  ],
  report: { when: 'always' },
  advice: pdfAdvice,
  options,
  undo: 'fields',
  needs: ['bytes', 'sandbox'],
  bytes: true,
  summary: ({ max_px, quality, linearize, preserve_original }) =>
    phrases(
      say('Images up to {px} px', { px: String(max_px) }),
      say('{quality} % quality', { quality }),
      ...(linearize ? [say('for web viewing')] : []),
      ...(preserve_original ? [] : [say('the original is deleted')]),
    ),
  plan: planDocuments,
  run: (items, { preserve_original, password, ...wanted }, { bytes: port, sandbox, signal }) =>
    eachDocument(items, CONCURRENCY, signal, async (item) => {
      const documents = createDocuments({ bytes: port, sandbox })
      const asked = { ...wanted, ...(password ? { password } : {}) }
      const result = await documents.optimize(item, asked, signal)
      if ('unchanged' in result) return { unchanged: result.unchanged }
      const { bytes, warnings } = result
      return { bytes, warnings, ...(preserve_original ? {} : { drop_previous: true }) }
    }),
})
