// The look of buyers' pages: colours, logo, own texts and language, with a preview of unsaved
// values.
import { fileTypeFromBuffer } from 'file-type'
import { z } from 'zod'
import { say, sayFixed } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import { readShop } from '../../files/shop-settings.ts'
import { endpointsOf, type Caller, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema } from '../../http/schemas.ts'
import {
  buyerPageChange,
  changeBuyerPage,
  changeLogo,
  MAX_LOGO_BYTES,
  readBuyerPage,
  type Logo,
  type SavedBuyerPage,
  reportColours,
} from '../downloads/buyer-page.ts'
import { dataAddress } from '../downloads/look.ts'
import { PREVIEW_PAGES, previewPage, type PreviewedFiles } from '../downloads/preview.ts'
import { LOCALES, type Locale } from '../downloads/translate.ts'

const locale = z.enum(LOCALES as [Locale, ...Locale[]])
const colourReport = z
  .object({
    button: z.number().describe('Contrast of the text on a button, 1 to 21'),
    link: z.number().describe('Contrast of a link, after it was adjusted'),
    link_colour: z.string(),
    adjusted: z
      .boolean()
      .describe('The chosen colour is unreadable for links, so links have `link_colour`'),
  })
  .meta({ id: 'ColourReport' })

const ownTexts = z.object({ intro: z.string(), footer: z.string() })
const pageSchema = z
  .object({
    accent: z.string().nullable(),
    background: z.string().nullable(),
    language: locale,
    texts: z.partialRecord(locale, ownTexts),
    library: z.boolean().describe('Buyers can ask for a link to all their downloads'),
    library_link: z.boolean().describe('The pages of deliveries have a button “All my downloads”'),
    copied_links: z
      .enum(['direct', 'page'])
      .describe('What copied and listed links do: download the file, or open its page'),
    ask_again: z.boolean().describe('Buyers can ask for more of what is expired or used up'),
    buy_again: z.boolean().describe('Such files lead to their product in the shop'),
    library_url: z.url().describe('Where buyers ask for the link to their downloads'),
    logo: z
      .object({ type: z.string(), size_bytes: z.number().int(), url: z.string() })
      .nullable()
      .describe('`url` is a data address'),
    colours: colourReport,
  })
  .meta({ id: 'BuyerPage' })

const endpoint = endpointsOf({ tag: 'Settings' })
const saved = { 200: { description: 'All of it', schema: pageSchema } } as const
const refused = { 422: { description: 'Every problem', schema: errorSchema } } as const

export interface BuyerPageParts {
  baseUrl: string
}

export const buyerPageRoutes = (parts: BuyerPageParts): Endpoint[] => [
  read(parts),
  change(parts),
  putLogo(parts),
  removeLogo(parts),
  preview(),
]

const read = (parts: BuyerPageParts) =>
  endpoint('GET /api/settings/buyer-page', {
    summary: 'Read how buyers’ pages look',
    scope: 'operations:read',
    replies: saved,
    handler: async ({ caller }) => ({
      body: recordOf(await readBuyerPage(caller.scope), parts, caller),
    }),
  })

const change = (parts: BuyerPageParts) =>
  endpoint('PATCH /api/settings/buyer-page', {
    logs: { kind: 'buyer_page' },
    summary: 'Change how buyers’ pages look',
    description:
      'The change applies to the next page that a buyer opens. `texts` replaces all texts.',
    scope: 'settings:write',
    body: buyerPageChange,
    replies: { ...saved, ...refused },
    handler: async ({ caller, body }) => ({
      body: recordOf(await changeBuyerPage(caller.scope, body), parts, caller),
    }),
  })

// Four characters of base64 are three bytes.
const MAX_BASE64 = Math.ceil(MAX_LOGO_BYTES / 3) * 4

const putLogo = (parts: BuyerPageParts) =>
  endpoint('PUT /api/settings/buyer-page/logo', {
    logs: { kind: 'buyer_page', renews: 'logo' },
    summary: 'Set the logo of buyers’ pages',
    scope: 'settings:write',
    body: z
      .strictObject({
        image: z
          .string()
          .max(
            MAX_BASE64,
            sayFixed('A logo has at most {count} KB: make it smaller', {
              count: MAX_LOGO_BYTES / 1024,
            }),
          )
          .pipe(z.base64('Send the image in base64')),
      })
      .meta({ id: 'LogoRequest' }),
    replies: { ...saved, ...refused },
    handler: async ({ caller, body }) => {
      const logo = await logoOf(Buffer.from(body.image, 'base64'))
      return { body: recordOf(await changeLogo(caller.scope, logo), parts, caller) }
    },
  })

const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/**
 * The image is not decoded here: buyers' browsers get it with a media type that runs no scripts.
 */
async function logoOf(bytes: Buffer): Promise<Logo> {
  const type = (await fileTypeFromBuffer(bytes))?.mime
  if (type && LOGO_TYPES.includes(type)) return { bytes, type }
  const message = say('Choose a PNG, JPEG, WebP or GIF image')
  throw new AppError('validation_failed', {
    param: 'image',
    details: [{ param: 'image', code: 'invalid_value', message }],
  })
}

const removeLogo = (parts: BuyerPageParts) =>
  endpoint('DELETE /api/settings/buyer-page/logo', {
    logs: { kind: 'buyer_page', renews: 'logo' },
    summary: 'Remove the logo of buyers’ pages',
    scope: 'settings:write',
    replies: saved,
    handler: async ({ caller }) => ({
      body: recordOf(await changeLogo(caller.scope, null), parts, caller),
    }),
  })

const preview = () =>
  endpoint('POST /api/settings/buyer-page/preview', {
    summary: 'Preview buyers’ pages',
    description: 'With the saved look and these changes, which are not saved.',
    scope: 'operations:read',
    body: z
      .strictObject({
        ...buyerPageChange.shape,
        locale: locale.default('en'),
        page: z.enum(PREVIEW_PAGES).default('files'),
        pack_id: z
          .string()
          .optional()
          .describe('The page of files shows those of this pack, under its product'),
      })
      .meta({ id: 'BuyerPagePreview' }),
    replies: {
      200: {
        description: 'The page as HTML, and the contrast of its colours',
        schema: z.object({ html: z.string(), colours: colourReport }),
      },
      ...refused,
    },
    handler: async ({ caller, body: { locale: language, page, pack_id, ...changes } }) => {
      const [shop, there, content] = await Promise.all([
        readShop(caller.scope),
        readBuyerPage(caller.scope),
        pack_id === undefined ? undefined : contentOfPack(caller.scope, pack_id),
      ])
      const look = { ...there, page: { ...there.page, ...defined(changes) } }
      return {
        body: {
          html: previewPage(page, { shop, look, locale: language, ...(content && { content }) }),
          colours: reportColours(look.page),
        },
      }
    },
  })

const MAX_PREVIEWED = 50

/** Throws `not_found`. */
async function contentOfPack(scope: ShopScope, id: string): Promise<PreviewedFiles> {
  const pack = requirePublicId('pack', id)
  const content = await scope.first<PreviewedFiles>(
    `select coalesce((select min(x.product_title) from pack_products x
         where x.shop_id = p.shop_id and x.pack_id = p.id), p.name) as product,
       coalesce((select jsonb_agg(to_jsonb(f)) from (
         select filename, content_type, size_bytes, 0 as downloads,
           download_limit, view, buyer_text
         from pack_files k join files on files.shop_id = k.shop_id and files.id = k.file_id
         where k.shop_id = p.shop_id and k.pack_id = p.id and deleted_at is null
         order by k.position, files.id limit ${MAX_PREVIEWED}) f), '[]') as files
     from packs p where p.shop_id = :shop and p.id = :pack`,
    { pack },
  )
  if (!content) throw new AppError('not_found')
  return content
}

/** Returns the fields that were sent. */
const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>
  }

const recordOf = (
  { page, logo }: SavedBuyerPage,
  { baseUrl }: BuyerPageParts,
  { shop }: Caller,
): z.output<typeof pageSchema> => ({
  ...page,
  library_url: `${baseUrl}/library?shop=${encodeURIComponent(shop.domain)}`,
  logo: logo && { type: logo.type, size_bytes: logo.bytes.length, url: dataAddress(logo) },
  colours: reportColours(page),
})
