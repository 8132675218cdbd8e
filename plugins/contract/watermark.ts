// The watermark of documents: the options of an action, and what a shop keeps for all of them.
import { sayFixed, sayPlain } from './text.ts'
import { z } from 'zod'
import { onOneLine } from './rules.ts'

const POSITIONS = [
  'diagonal',
  'center',
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
] as const

/** The options of what appears on every page: one of `text` and `picture`. */
export const watermarkFields = {
  text: z
    .string()
    .overwrite(onOneLine)
    .min(1)
    .max(200)
    .optional()
    .meta({ title: 'Text', help: 'In any script.', missing: 'Enter the text of the watermark' }),
  picture: z
    .string()
    .regex(/^file_[0-9a-f]{32}$/, sayPlain('This is not the id of a file'))
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
}

/** The shop's watermark. */
export const watermarkSchema = z
  .strictObject(watermarkFields)
  .refine(({ text, picture }) => (text === undefined) !== (picture === undefined), {
    message: sayPlain('Enter a text or choose an image'),
    path: ['text'],
  })
  .meta({ id: 'Watermark' })

const MAX_PACKS = 200

/** The watermarks of packs, by the id of the pack: their files get them instead of the shop's. */
export const packWatermarksSchema = z
  .record(
    z.string().regex(/^pack_[0-9a-f]{32}$/, sayPlain('This is not the id of a pack')),
    watermarkSchema,
  )
  .refine(
    (marks) => Object.keys(marks).length <= MAX_PACKS,
    sayFixed('At most {count} packs have their own watermark', { count: MAX_PACKS }),
  )

export type PackWatermarks = z.output<typeof packWatermarksSchema>

export type Watermark = z.output<typeof watermarkSchema>
