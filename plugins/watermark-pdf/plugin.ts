// Puts a mark on every page of PDF documents: text in any script, or an image. The original stays
// as a version of the file.
import { z } from 'zod'
import { definePlugin, anyPdf, documentPassword, pdfAdvice } from '../contract.ts'
import { createDocuments } from '../_pdf/documents.ts'
import { eachDocument, planDocuments } from '../_pdf/each-document.ts'

const CONCURRENCY = 4

const POSITIONS = [
  'diagonal',
  'center',
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
] as const

const options = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .meta({ title: 'Text', help: 'In any script.', missing: 'Enter the text of the watermark' }),
    picture: z
      .string()
      .regex(/^file_[0-9a-f]{32}$/, 'This is not the id of a file')
      .optional()
      .meta({
        title: 'Image',
        help: 'An image among the files, instead of a text.',
        widget: 'file',
        files: { extensions: ['png', 'jpg', 'jpeg', 'webp'], one: 'image', many: 'images' },
        missing: 'Choose an image',
      }),
    position: z
      .enum(POSITIONS)
      .default('diagonal')
      .meta({
        title: 'Position',
        widget: 'page-position',
        choices: {
          diagonal: 'Across the page',
          center: 'In the middle',
          'top-left': 'Top left',
          'top-right': 'Top right',
          'bottom-left': 'Bottom left',
          'bottom-right': 'Bottom right',
        },
      }),
    opacity: z
      .number()
      .min(0.01)
      .max(1)
      .default(0.3)
      .meta({ title: 'Opacity', help: 'A lower value hides less of the page.', percent: true }),
    font_size: z.number().min(4).max(500).optional().meta({
      title: 'Size of the letters (points)',
      help: 'Empty: as large as fits.',
      suffix: 'points',
      placeholder: 'As large as fits',
    }),
    password: documentPassword,
  })
  .refine(({ text, picture }) => (text === undefined) !== (picture === undefined), {
    message: 'Enter a text or choose an image',
    path: ['text'],
  })
type Options = z.output<typeof options>

/**
 * `bytes`. Fails with `glyph_missing`, `image_damaged`, `file_not_found` (the image), and the
 * other errors of documents.
 */
export const watermarkPdf = definePlugin({
  id: 'watermark-pdf',
  kind: 'act',
  title: 'Watermark PDF documents',
  actions: [
    {
      group: 'documents',
      labels: {
        action: 'Watermark PDF documents',
        menu: 'Add a watermark to PDFs',
        title: 'Add a watermark to PDFs in {count, plural, one {# file} other {# files}}',
        button: 'Add watermark',
        running: 'Adding a watermark to {count, plural, one {# file} other {# files}}',
        done: 'Watermark added to {count, plural, one {# file} other {# files}}',
        result: 'watermarked',
        note: 'The document without the mark stays as a version of the file. A preview shows which files get the mark.',
      },
      fits: anyPdf,
    },
  ],
  form: {
    alternatives: [
      {
        title: 'What appears on every page',
        choices: [
          { label: 'A text', fields: ['text', 'font_size'] },
          { label: 'An image', fields: ['picture'] },
        ],
      },
    ],
  },
  report: { when: 'always' },
  advice: {
    ...pdfAdvice,
    glyph_missing:
      'Start it again with other letters, or with an image of the text: there is no font for these.',
    image_damaged: 'Replace the image that is damaged, then start it again.',
  },
  options,
  undo: 'fields',
  needs: ['bytes', 'sandbox'],
  bytes: true,
  summary: ({ text, position }) =>
    (text === undefined
      ? `An image on every page, ${position}`
      : `“${text}” on every page, ${position}`
    ).slice(0, 200),
  plan: planDocuments,
  run: (items, given, { bytes: port, sandbox, signal }) =>
    eachDocument(items, CONCURRENCY, signal, (item) =>
      createDocuments({ bytes: port, sandbox }).watermark(item, wantedOf(given), signal),
    ),
})

const wantedOf = ({ text, picture, position, opacity, font_size, password }: Options) => ({
  ...{ position, opacity },
  ...(text === undefined ? {} : { text }),
  ...(picture === undefined ? {} : { picture: uuidOf(picture) }),
  ...(font_size === undefined ? {} : { font_size }),
  ...(password === undefined ? {} : { password }),
})

const uuidOf = (id: string) =>
  id.replace(/^file_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
