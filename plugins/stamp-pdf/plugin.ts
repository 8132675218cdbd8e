// Puts the buyer's name, email address and order on every page of a PDF document, and the licence
// keys that an earlier step assigned. The copy belongs to that delivery alone, and the file stays
// unchanged. A document that cannot be stamped is not delivered.
import { z } from 'zod'
import {
  definePlugin,
  type DeliveryView,
  documentPassword,
  type Item,
  pdfAdvice,
  phrases,
  PortError,
  say,
  sayPlain,
  type Text,
  onOneLine,
  type WriteContext,
} from '../contract/index.ts'
import { createDocuments } from '../_pdf/documents.ts'
import { eachDocument, planDocuments } from '../_pdf/each-document.ts'

const CONCURRENCY = 2
const MAX_PART = 120

const PARTS = {
  name: 'Name',
  email: 'Email address',
  order: 'Order number',
  date: 'Date of the order',
} as const
type Part = keyof typeof PARTS
const SHOWN: Readonly<Record<Part, Text>> = {
  name: say('name'),
  email: say('email address'),
  order: say('order number'),
  date: say('date of the order'),
}
const DEFAULT_PARTS: Part[] = ['name', 'email', 'order']

const options = z.strictObject({
  show: z
    .array(z.enum(Object.keys(PARTS) as [Part, ...Part[]]))
    .min(1, sayPlain('Choose at least one'))
    .max(4)
    .default(DEFAULT_PARTS)
    .meta({ title: 'What appears on every page', choices: PARTS }),
  text: z.string().overwrite(onOneLine).max(100).optional().meta({
    title: 'Text before it',
    placeholder: 'Licensed to',
    help: 'In any script. {licence} becomes the buyer’s licence keys, if a step before this one assigns them.',
  }),
  position: z
    .enum(['bottom-left', 'bottom-right', 'top-left', 'top-right', 'center', 'diagonal'])
    .default('bottom-left')
    .meta({
      title: 'Position',
      widget: 'page-sketch',
      samples: { '{licence}': 'ABCD-2345-EFGH' },
      choices: {
        'bottom-left': 'Bottom left',
        'bottom-right': 'Bottom right',
        'top-left': 'Top left',
        'top-right': 'Top right',
        center: 'In the middle',
        diagonal: 'Across the page',
      },
    }),
  opacity: z
    .number()
    .min(0.05)
    .max(1)
    .default(0.6)
    .meta({ title: 'Opacity', help: 'A lower value hides less of the page.', percent: true }),
  font_size: z
    .number()
    .min(4)
    .max(100)
    .default(8)
    .meta({ title: 'Size of the letters (points)', suffix: 'points' }),
  password: documentPassword,
})
type Options = z.output<typeof options>

/**
 * Outcomes carry `bytes`. Items fail with `buyer_unknown`, `licence_key_missing`, `glyph_missing` and
 * the other errors of documents.
 */
export const stampPdf = definePlugin({
  id: 'stamp-pdf',
  kind: 'act',
  title: 'Stamp PDF documents for the buyer',
  actions: [],
  options,
  undo: 'none',
  worksOn: 'deliveries',
  needs: ['bytes', 'sandbox', 'delivery', 'licences'],
  bytes: true,
  advice: {
    ...pdfAdvice,
    buyer_unknown: 'Enter the buyer’s email address in the delivery, then prepare it again.',
    licence_key_missing:
      'Put the step Assign licence keys before the stamp in the workflow, then prepare it again.',
    glyph_missing:
      'Show the email address or the order number: there is no font for these letters.',
  },
  summary: ({ show, position }) =>
    say('{parts} on every page, {position}', {
      parts: phrases(...show.map((part) => SHOWN[part])),
      position,
    }),
  plan: planDocuments,
  run: (items, given, context) =>
    eachDocument(items, CONCURRENCY, context.signal, (item) => stamp(item, given, context)),
})

type Context = Pick<WriteContext, 'bytes' | 'sandbox' | 'delivery' | 'licences' | 'shop' | 'signal'>

/**
 * Stamps the document. A name may contain letters that no font has (an emoji): then the stamp has
 * only the remaining fields, which identify the buyer too.
 */
async function stamp(item: Item, options: Options, context: Context) {
  const { bytes, sandbox, delivery, shop, signal } = context
  const given = { ...options, text: await withLicence(options.text, item, context) }
  const { time_zone } = shop.settings
  const documents = createDocuments({ bytes, sandbox })
  const { position, opacity, font_size, password } = given
  const write = (text: string) =>
    documents.watermark(
      item,
      { text, position, opacity, font_size, ...(password === undefined ? {} : { password }) },
      signal,
    )
  try {
    return await write(textOf(given, delivery, time_zone))
  } catch (error) {
    const known = delivery.buyer.email !== null && given.show.includes('email')
    if (!(error instanceof PortError) || error.code !== 'glyph_missing' || !known) throw error
    const rest = { ...given, show: given.show.filter((part) => part !== 'name') }
    return write(textOf(rest, delivery, time_zone))
  }
}

const LICENCE = '{licence}'
/** The first keys are written up to this length together, and the others are counted. */
const MAX_KEYS_LENGTH = 200

/** The text with the keys of the item's file. Throws `licence_key_missing` if it has none. */
async function withLicence(
  text: string | undefined,
  { file: { id } }: Item,
  { licences }: Pick<Context, 'licences'>,
): Promise<string | undefined> {
  if (text === undefined || !text.includes(LICENCE)) return text
  const keys = id === null ? [] : await licences.keysOf(id)
  if (keys.length === 0)
    throw new PortError(
      'licence_key_missing',
      'The stamp shows licence keys, and no step before it assigned one for this file',
      false,
    )
  return text.replaceAll(LICENCE, () => keysText(keys))
}

/** Keys, separated by commas: as many as fit, at least one. */
export function keysText(keys: readonly string[]): string {
  const fitting = keys.filter(
    (_, at) => at === 0 || keys.slice(0, at + 1).join(', ').length <= MAX_KEYS_LENGTH,
  )
  const more = keys.length - fitting.length
  return [...fitting, ...(more > 0 ? [`+${more}`] : [])].join(', ')
}

/** The day of a time in the shop's time zone, `2026-03-01`. */
const dayOf = (time: string, timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(new Date(time))

/**
 * The text of the stamp. Throws `buyer_unknown` if none of the shown fields identifies the buyer.
 */
export function textOf(
  { show, text }: Options,
  { order, buyer }: DeliveryView,
  timeZone: string,
): string {
  const values: Record<Part, string | null> = {
    name: buyer.name,
    email: buyer.email,
    order: order.name,
    date: dayOf(order.ordered_at, timeZone),
  }
  const parts = show.flatMap((part) => plain(values[part]) ?? [])
  const personal = show.filter((part) => part === 'name' || part === 'email')
  if (personal.length > 0 && personal.every((part) => plain(values[part]) === null))
    throw new PortError(
      'buyer_unknown',
      'Neither the name nor the email address of the buyer is known',
      false,
    )
  return [...(text ? [text] : []), parts.join(' · ')].join(' ')
}

/** The text on one line: a buyer's text may contain line breaks. */
const plain = (value: string | null): string | null =>
  onOneLine(value ?? '')
    .slice(0, MAX_PART)
    .toWellFormed() || null
