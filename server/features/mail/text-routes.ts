// The texts of mails to buyers: the usual ones, the shop's own ones, and a preview.
import { z } from 'zod'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema } from '../../http/schemas.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { LOCALES, type Locale, translatorFor } from '../downloads/translate.ts'
import { dataAddress } from '../downloads/look.ts'
import {
  readMailLook,
  LOGO_CID,
  renderBuyerMail,
  type BuyerMailParts,
  type MailLook,
} from './buyer-mail.ts'
import { readMailSettings } from './settings.ts'
import {
  textsChange,
  withTexts,
  type OwnMailTexts,
  mailText,
  BUYER_MAILS,
  FIELD_NAMES,
  filesText,
  fieldsOf,
  maxLengthOf,
  usualText,
  VARIABLES,
  type BuyerMail,
  type TextField,
  formatText,
  DELIVERY_TEXTS,
  LINK_TEXTS,
} from './texts.ts'

const endpoint = endpointsOf({ tag: 'Mail' })
const locale = z.enum(LOCALES as [Locale, ...Locale[]])
const mail = z.enum(BUYER_MAILS)

const fieldSchema = z.object({
  field: z.enum(FIELD_NAMES as [TextField, ...TextField[]]),
  max_length: z.number().int(),
  usual: z.string().describe('The usual text, with variables where they stand alone'),
  own: z.string().nullable(),
})
const textsSchema = z
  .object({
    texts: z.array(
      z.object({
        mail,
        locale,
        variables: z.array(z.string()),
        fields: z.array(fieldSchema),
      }),
    ),
  })
  .meta({ id: 'MailTexts' })

export const textRoutes = ({ baseUrl }: { baseUrl: string }): Endpoint[] => [
  endpoint('GET /api/settings/mail/texts', {
    summary: 'Read the texts of mails to buyers',
    scope: 'operations:read',
    replies: { 200: { description: 'All of them', schema: textsSchema } },
    handler: async ({ caller }) => ({
      body: textsRecord((await readMailSettings(caller.scope)).texts),
    }),
  }),
  endpoint('PATCH /api/settings/mail/texts', {
    logs: { kind: 'mail_texts' },
    summary: 'Change the texts of mails to buyers',
    description: 'Null and an empty text bring back the usual one. Absent texts stay unchanged.',
    scope: 'settings:write',
    body: z.strictObject({ texts: textsChange }).meta({ id: 'MailTextsChange' }),
    replies: {
      200: { description: 'All of them', schema: textsSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, body }) => ({
      body: textsRecord(await changeTexts(caller.scope, body.texts)),
    }),
  }),
  endpoint('POST /api/settings/mail/texts/preview', {
    summary: 'Preview a mail to buyers',
    description: 'With an example, the saved texts and these changes, which are not saved.',
    scope: 'operations:read',
    body: z
      .strictObject({ mail, locale, texts: textsChange.optional() })
      .meta({ id: 'MailPreview' }),
    replies: {
      200: {
        description: 'The mail',
        schema: z.object({ subject: z.string(), text: z.string(), html: z.string() }),
      },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, body: { texts = {}, ...shown } }) => {
      const look = await readMailLook(caller.scope)
      return { body: previewMail({ ...look, own: withTexts(look.own, texts) }, shown, baseUrl) }
    },
  }),
]

const changeTexts = (
  scope: ShopScope,
  change: Parameters<typeof withTexts>[1],
): Promise<OwnMailTexts> =>
  scope.transaction(async (tx) => {
    // Two people may edit different mails at the same time.
    await tx.query(`insert into mail_settings (shop_id) values (:shop) on conflict do nothing`)
    await tx.query('select from mail_settings where shop_id = :shop for update')
    const texts = withTexts((await readMailSettings(tx)).texts, change)
    await tx.query('update mail_settings set texts = :texts where shop_id = :shop', {
      texts: JSON.stringify(texts),
    })
    return texts
  })

const textsRecord = (own: OwnMailTexts): z.output<typeof textsSchema> => ({
  texts: LOCALES.flatMap((one) =>
    BUYER_MAILS.map((name) => ({
      mail: name,
      locale: one,
      variables: [...VARIABLES[name]],
      fields: fieldsOf(name).map((field) => ({
        field,
        max_length: maxLengthOf(name, field),
        usual: usualAsTemplate(name, field, one),
        own: own[one]?.[name]?.[field] ?? null,
      })),
    })),
  ),
})

/** The number in the examples, which no other part of a usual text contains. */
const EXAMPLE_COUNT = 7

/** The usual text of several files, with variables in place of the values. */
function usualAsTemplate(name: BuyerMail, field: TextField, one: Locale): string {
  const variables = Object.fromEntries(VARIABLES[name].map((each) => [each, `{${each}}`]))
  const values = { ...variables, count: EXAMPLE_COUNT }
  return usualText({ mail: name, field, locale: one }, values).replaceAll(
    filesText(one, EXAMPLE_COUNT),
    '{files}',
  )
}

// Previews of the mails to buyers, with examples for their values and with changes that are not
// saved.

const FILES = ['Sailing Basics.pdf', 'Knots and Splices.mp4', 'Checklist.pdf']
const UNTIL = new Date('2027-06-30T00:00:00Z')
const TIMES = 5
const ORDER = '#1042'

export interface MailPreview {
  subject: string
  text: string
  html: string
}

function previewMail(
  look: MailLook,
  { mail, locale }: { mail: BuyerMail; locale: Locale },
  baseUrl: string,
): MailPreview {
  if (mail === 'text') return previewText(look, locale, baseUrl)
  const date = translatorFor(locale).date(UNTIL)
  const address = `${baseUrl}/download?key=…`
  const {
    subject,
    text,
    html = '',
  } = renderBuyerMail(
    look,
    { mail, locale, address, ...partsOf(mail, locale, { date, address }) },
    baseUrl,
  )
  const { logo } = look.page
  // A frame cannot show an image that is part of a message.
  const shown = logo ? html.replaceAll(`cid:${LOGO_CID}`, dataAddress(logo)) : html
  // Nothing in the preview leads anywhere.
  return { subject, text, html: shown.replace(/ href='[^']*'/g, '') }
}

/** A text message is shown as it is sent. */
function previewText(look: MailLook, locale: Locale, baseUrl: string): MailPreview {
  const values = { shop: look.shop, order: ORDER }
  const subject = mailText({ mail: 'text', locale, own: look.own, values }, 'intro')
  return { subject, text: `${subject}\n${baseUrl}/download?key=…`, html: '' }
}

function partsOf(
  mail: BuyerMail,
  locale: Locale,
  { date, address }: { date: string; address: string },
): Pick<BuyerMailParts, 'values' | 'files' | 'before' | 'after' | 'linked'> & { address?: string } {
  if (mail === 'library') {
    const t = translatorFor(locale)
    return { values: { date }, after: t('library.mailUntil', { date }) }
  }
  if (mail === 'links') {
    const terms = formatText(locale, LINK_TEXTS[locale].terms, { times: TIMES, ends: 'true', date })
    const linked = FILES.map((name) => ({ name, terms, address }))
    return { values: { count: FILES.length }, address: '', linked }
  }
  if (mail === 'link')
    return {
      values: { name: FILES[0] ?? '' },
      before: formatText(locale, LINK_TEXTS[locale].terms, { times: TIMES, ends: 'true', date }),
    }
  const count = FILES.length
  return {
    values: { order: ORDER, count, date, waiting: 0, names: '' },
    files: FILES,
    after: formatText(locale, DELIVERY_TEXTS[locale].expires, { date }),
  }
}
