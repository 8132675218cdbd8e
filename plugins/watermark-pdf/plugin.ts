// Puts a mark on every page of PDF documents: text in any script, or an image. The original stays
// as a version of the file.
import { z } from 'zod'
import {
  anyPdf,
  definePlugin,
  documentPassword,
  eachItem,
  type FileView,
  nonPdfReason,
  packWatermarksSchema,
  pdfAdvice,
  planEach,
  say,
  sayPlain,
  type ShopSettings,
  watermarkFields,
} from '../contract/index.ts'
import { createDocuments } from '../_pdf/documents.ts'

const CONCURRENCY = 4

const isGiven = (value: unknown): boolean => value !== undefined

const options = z
  .strictObject({
    ...watermarkFields,
    saved: z.literal(true).optional().meta({
      title: 'The shop’s watermark',
      description:
        'Uses the watermark of the shop’s settings, with its position and opacity, as it is when the operation runs. A file of a pack that has its own watermark gets that one',
    }),
    by_pack: packWatermarksSchema.optional().meta({
      title: 'Watermarks of packs',
      description: 'Other watermarks for the files of these packs, by the id of the pack',
      widget: 'none',
    }),
    password: documentPassword,
  })
  .refine(({ text, picture, saved }) => [text, picture, saved].filter(isGiven).length === 1, {
    message: sayPlain('Enter a text, choose an image, or use the shop’s watermark'),
    path: ['text'],
  })
type Options = z.output<typeof options>

/**
 * Outcomes carry `bytes`. Items fail with `glyph_missing`, `image_damaged`, `file_not_found` (the
 * image), and the other errors of documents.
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
          { label: 'A text', fields: ['text', 'font_size', 'position', 'opacity'] },
          { label: 'An image', fields: ['picture', 'position', 'opacity'] },
          {
            label: 'The shop’s watermark',
            help: 'As it is in the settings when the operation runs.',
            fields: [],
            set: { saved: true },
            usualWith: 'watermark',
          },
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
    no_watermark: 'Save a watermark in the settings, then start it again.',
  },
  options,
  undo: 'fields',
  needs: ['bytes', 'sandbox'],
  bytes: true,
  withSettings: ({ saved, ...given }, { watermark, pack_watermarks }) =>
    saved
      ? {
          ...given,
          ...(watermark ?? { saved }),
          ...(Object.keys(pack_watermarks).length > 0 ? { by_pack: pack_watermarks } : {}),
        }
      : given,
  summary: ({ text, position, saved }) =>
    saved
      ? say('The shop’s watermark on every page')
      : text === undefined
        ? say('An image on every page, {position}', { position })
        : say('“{text}” on every page, {position}', { text, position }),
  plan: (items, given, context) => planMarks(items, marksOf(given, context.shop.settings), context),
  run: (items, given, context) => {
    const { bytes: port, sandbox, shop, signal } = context
    const markFor = marksOf(given, shop.settings)
    const documents = createDocuments({ bytes: port, sandbox })
    return eachItem(items, CONCURRENCY, signal, async (item) => {
      const mark = markFor(item.file)
      const unchanged = nonPdfReason(item.file)
      if (unchanged) return { status: 'ok', unchanged }
      return mark
        ? { status: 'ok', ...(await documents.watermark(item, mark, signal)) }
        : NO_WATERMARK
    })
  },
})

const NO_WATERMARK = {
  status: 'failed',
  code: 'no_watermark',
  retryable: false,
  message: 'The shop has no watermark: save one in the settings',
} as const

/** The mark of a file. Null: it gets the shop's, and the shop has none. */
type MarkFor = (file: Pick<FileView, 'packs'>) => ReturnType<typeof markOf> | null

/** Plans by the name alone: only the bytes show whether a document can be processed. */
const planMarks = planEach<MarkFor>(({ file }, markFor) => {
  const unchanged = nonPdfReason(file)
  if (unchanged || markFor(file)) return { status: 'ok', ...(unchanged ? { unchanged } : {}) }
  return NO_WATERMARK
})

/** The marks that the options ask for: those of packs, and the shop's or the given one. */
function marksOf(
  { saved, by_pack, password, ...given }: Options,
  { watermark, pack_watermarks }: ShopSettings,
): MarkFor {
  const usual = saved ? watermark : given
  const packs = by_pack ?? (saved ? pack_watermarks : {})
  return (file) => {
    const keys = file.packs.map((id) => `pack_${id.replaceAll('-', '')}`)
    // Of several packs with a mark, the first that the file entered.
    const own = keys.find((key) => Object.hasOwn(packs, key))
    const mark = own === undefined ? usual : (packs[own] ?? usual)
    return mark && markOf({ ...mark, password })
  }
}

const markOf = ({
  text,
  picture,
  position,
  opacity,
  font_size,
  password,
}: Omit<Options, 'saved' | 'by_pack'>) => ({
  position,
  opacity,
  ...(text === undefined ? {} : { text }),
  ...(picture === undefined ? {} : { picture: uuidOf(picture) }),
  ...(font_size === undefined ? {} : { font_size }),
  ...(password === undefined ? {} : { password }),
})

const uuidOf = (id: string) =>
  id.replace(/^file_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
