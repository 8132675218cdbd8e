// Makes images smaller: limits their size, encodes them again at a lower quality, as WebP if
// requested. The file's name follows its format.
import { z } from 'zod'
import {
  definePlugin,
  eachItem,
  extensionOf,
  IMAGE_EXTENSIONS,
  planEach,
  say,
  phrases,
  type Item,
  type Decision,
  type FileView,
  sayPlain,
  type AnyText,
} from '../contract/index.ts'
import { createImages } from './images.ts'

// Images are fetched and stored while others are processed.
const CONCURRENCY = 6

const options = z.strictObject({
  max_px: z.int().min(16).max(16_000).default(2000).meta({
    title: 'Longer side at most (pixels)',
    help: 'Smaller images are not enlarged.',
    suffix: 'pixels',
  }),
  quality: z.int().min(1).max(100).default(80).meta({ title: 'Quality (%)', suffix: '%' }),
  format: z
    .enum(['webp', 'same'])
    .default('webp')
    .meta({
      title: 'Format',
      choices: { webp: 'Convert to WebP', same: 'Keep each image’s own format' },
      help: 'webp: smallest, the name then ends in .webp; same: the current format of the image',
    }),
  preserve_original: z.boolean().default(true).meta({
    title: 'Keep the original',
    help: 'As a version of the file. Otherwise it is deleted after 7 days, when undo is no longer possible. An import keeps only the result.',
  }),
})

type Options = z.output<typeof options>

/**
 * Outcomes carry `bytes`, and a name with the extension of the new format. Items fail with
 * `image_damaged`, `not_an_image`, `image_too_large`, and the limits of the sandbox.
 */
export const optimizeImage = definePlugin({
  id: 'optimize-image',
  kind: 'optimize',
  title: 'Optimize images',
  actions: [
    {
      group: 'documents',
      labels: {
        action: 'Optimize images',
        title: 'Optimize images in {count, plural, one {# file} other {# files}}',
        running: 'Optimizing images in {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} done',
        result: 'optimized',
      },
      fits: {
        noun: { one: 'image', many: 'images', files: { extensions: IMAGE_EXTENSIONS } },
        rules: [
          { rule: 'some', files: { extensions: IMAGE_EXTENSIONS }, why: 'No image is selected' },
        ],
      },
    },
  ],
  report: { when: 'always' },
  advice: {
    image_damaged:
      'Replace the images that are damaged: buyers may not be able to open them either.',
    not_an_image: 'Give the files that are not images the right extension.',
    image_too_large:
      'Make the images smaller, or leave them as they are: these are too large to be opened.',
  },
  options,
  undo: 'fields',
  needs: ['bytes', 'sandbox'],
  bytes: true,
  summary: ({ max_px, quality, format, preserve_original }) =>
    phrases(
      say('Up to {px} px', { px: String(max_px) }),
      say('{quality} % quality', { quality }),
      ...(format === 'webp' ? [say('as WebP')] : []),
      ...(preserve_original ? [] : [say('the original is deleted')]),
    ),
  plan: planEach(preview),
  run: (items, wanted, { bytes, sandbox, signal }) =>
    eachItem(items, CONCURRENCY, signal, async (item) => {
      const unchanged = unchangedReason(item.file)
      if (unchanged) return { status: 'ok', unchanged }
      const result = await createImages({ bytes, sandbox }).optimize(item, wanted, signal)
      if ('unchanged' in result) return { status: 'ok', unchanged: result.unchanged }
      const { bytes: made, extension } = result
      const dropped = wanted.preserve_original ? {} : { drop_previous: true }
      return { status: 'ok', bytes: made, ...dropped, ...withExtension(item.file, extension) }
    }),
})

/** Decides by the name: only the bytes show whether the image would become smaller. */
function preview({ file }: Item, { format }: Options): Decision {
  const unchanged = unchangedReason(file)
  if (unchanged) return { status: 'ok', unchanged }
  return { status: 'ok', ...(format === 'webp' ? withExtension(file, 'webp') : {}) }
}

/** The extensions of each output format, the usual one first. */
const ENDINGS = [
  ['jpg', 'jpeg', 'jpe', 'jfif'],
  ['png'],
  ['gif'],
  ['webp'],
  ['tiff', 'tif'],
  ['avif'],
]

function unchangedReason({ filename }: FileView): AnyText | null {
  const extension = extensionOf(filename)
  if (ENDINGS.flat().includes(extension)) return null
  if (extension === 'svg' || extension === 'svgz')
    return sayPlain('SVG images are drawings and are not changed')
  if (IMAGE_EXTENSIONS.includes(extension))
    return say('Images of the type {type} stay as they are', { type: extension.toUpperCase() })
  return sayPlain('It is not an image')
}

/** The change of the name to this extension. A name that has an equal one already stays. */
function withExtension({ filename }: FileView, extension: string) {
  const alike = ENDINGS.find((endings) => endings.includes(extension)) ?? [extension]
  if (alike.includes(extensionOf(filename))) return {}
  return {
    change: {
      set: { filename: `${filename.slice(0, filename.lastIndexOf('.') + 1)}${extension}` },
    },
  }
}
