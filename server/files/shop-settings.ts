// A shop's settings; the specification's defaults apply to settings that it has not set.
import { z } from 'zod'
import {
  emailAddress,
  MATCH_METHODS,
  sayFixed,
  sayPlain,
  shopSettingFields,
  shopSettingsWithDefaults,
  type TextLanguage,
  packWatermarksSchema,
  watermarkSchema,
} from '../../plugins/contract/index.ts'
import { languageOf, TEXT_LANGUAGES } from '../core/texts.ts'
import type { ShopScope } from '../core/db/for-shop.ts'

const MAX_MAIL_DELAY = 60
const MAX_RECIPIENTS = 50
const MAX_SMS_RECIPIENTS = 5
/** Country and number, without spaces; 15 digits at most (ITU-T E.164). */
const E164 = /^\+[1-9]\d{6,14}$/

/** A name of the IANA list, such as `Europe/Berlin`: a bare offset has no daylight saving time. */
export const timeZone = z
  .string()
  .refine(isTimeZone, sayPlain('Choose a time zone, like Europe/Berlin'))

/** Names that were found valid: checking one takes longer than validating all other settings. */
const knownTimeZones = new Set<string>()

function isTimeZone(name: string): boolean {
  if (knownTimeZones.has(name)) return true
  try {
    if (!/^[A-Za-z]/.test(name)) return false
    new Intl.DateTimeFormat('en', { timeZone: name })
    knownTimeZones.add(name)
    return true
  } catch {
    return false
  }
}

/** The settings without defaults: a change names any of them. */
const fields = {
  ...shopSettingFields,
  storage_location: z
    .enum(['primary', 'backup'])
    .describe('The storage location of new files; existing files are not moved'),
  auto_map: z.boolean(),
  match_by: z
    .array(z.enum(MATCH_METHODS))
    .max(MATCH_METHODS.length)
    .refine((methods) => new Set(methods).size === methods.length, sayPlain('Each of them once'))
    .describe('How files are matched to products, tried in this order; empty: only manually'),
  match_threshold: z.number().min(0).max(1).describe('How sure a match must be, from 0 to 1'),
  notify_unmapped: z
    .boolean()
    .describe('The message about an import names the files that have no product'),
  email_on_complete: z.boolean(),
  email_on_errors: z.boolean(),
  weekly_summary: z
    .boolean()
    .describe('An email each Monday morning: the figures of the week, and what needs the shop'),
  recipients: z
    .array(emailAddress('Enter an email address'))
    .max(MAX_RECIPIENTS, sayFixed('At most {count} recipients', { count: MAX_RECIPIENTS })),
  mail_language: z
    .enum(TEXT_LANGUAGES)
    .nullable()
    .describe('The language of emails to the shop; null: the language of its online store'),
  sms_on_large_import: z
    .boolean()
    .describe('A text message when an import of 1,000 files or more has ended'),
  sms_recipients: z
    .array(
      z
        .string()
        .regex(E164, sayPlain('Enter a phone number with its country, like +4915112345678')),
    )
    .max(MAX_SMS_RECIPIENTS, sayFixed('At most {count} numbers', { count: MAX_SMS_RECIPIENTS }))
    .refine((numbers) => new Set(numbers).size === numbers.length, sayPlain('Each of them once'))
    .describe('Phone numbers in the international form (E.164)'),
  time_zone: timeZone,
  watermark: watermarkSchema
    .nullable()
    .describe('The watermark that PDF documents get with the option `saved`; null: none'),
  pack_watermarks: packWatermarksSchema.describe(
    'The watermarks of packs, by the id of the pack: their documents get them instead of `watermark`. Replaces the current ones.',
  ),
  deliver_on: z
    .enum(['paid', 'authorized'])
    .describe('When an order’s files are ready: once it is paid, or authorized'),
  hold_risky_orders: z
    .boolean()
    .describe('Hold deliveries that the platform advises to cancel or to investigate'),
  multiply_limits: z
    .boolean()
    .describe(
      'An order of several units gets its download limit for each of them: 3 × 5 downloads are 15',
    ),
  paid_deliveries_survive: z
    .boolean()
    .describe('Paid files stay available when they lose their last product'),
  delivery_mail: z
    .enum(['own', 'platform'])
    .describe('Who tells buyers: our mail, or the platform’s shipping mail'),
  fulfil_orders: z.boolean().describe('Mark delivered lines that need no shipping as fulfilled'),
  order_tag: z
    .string()
    .trim()
    .min(1)
    .max(40, sayPlain('At most 40 characters'))
    .regex(/^[^,\p{Cc}]*$/u, sayPlain('A tag has no comma and no control characters'))
    .nullable()
    .describe('The tag for orders with files; null: none'),
  new_files: z
    .enum(['never', 'ask', 'always'])
    .describe(
      'Files that a product gets after it was sold: given to its past buyers never, after a question, or always',
    ),
  new_files_mail: z.boolean().describe('Past buyers who always get new files are told by email'),
  release_mail: z
    .boolean()
    .describe(
      'Buyers are told by email when a file becomes available that they bought before its release; only with `delivery_mail` `own`',
    ),
  text_buyers: z
    .boolean()
    .describe(
      'Buyers whose order has a phone number and no email address get a text message with the link; only with `delivery_mail` `own`',
    ),
  mail_delay_minutes: z
    .number()
    .int(sayPlain('Whole minutes'))
    .min(0, sayPlain('From 0 to 60 minutes'))
    .max(MAX_MAIL_DELAY, sayPlain('From 0 to 60 minutes'))
    .describe(
      'Minutes that the mail or text about a new delivery waits, so that an order can be cancelled or its address corrected before; only with `delivery_mail` `own`',
    ),
}

export const settingsChange = z.strictObject(fields).partial()

export const shopSettingsSchema = z.object({
  ...shopSettingsWithDefaults,
  storage_location: fields.storage_location.default('primary'),
  auto_map: fields.auto_map.default(true),
  match_by: fields.match_by.default(['sku', 'filename', 'title']),
  match_threshold: fields.match_threshold.default(0.8),
  notify_unmapped: fields.notify_unmapped.default(true),
  email_on_complete: fields.email_on_complete.default(true),
  email_on_errors: fields.email_on_errors.default(true),
  weekly_summary: fields.weekly_summary.default(false),
  recipients: fields.recipients.default([]),
  mail_language: fields.mail_language.default(null),
  sms_on_large_import: fields.sms_on_large_import.default(false),
  sms_recipients: fields.sms_recipients.default([]),
  time_zone: fields.time_zone.default('UTC'),
  watermark: fields.watermark.default(null),
  pack_watermarks: fields.pack_watermarks.default({}),
  deliver_on: fields.deliver_on.default('paid'),
  hold_risky_orders: fields.hold_risky_orders.default(true),
  multiply_limits: fields.multiply_limits.default(true),
  paid_deliveries_survive: fields.paid_deliveries_survive.default(true),
  delivery_mail: fields.delivery_mail.default('own'),
  fulfil_orders: fields.fulfil_orders.default(true),
  order_tag: fields.order_tag.default('files-delivered'),
  new_files: fields.new_files.default('ask'),
  new_files_mail: fields.new_files_mail.default(true),
  release_mail: fields.release_mail.default(true),
  text_buyers: fields.text_buyers.default(false),
  mail_delay_minutes: fields.mail_delay_minutes.default(0),
})

export type ShopDefaults = z.output<typeof shopSettingsSchema>

export interface ShopRecord {
  name: string
  domain: string
  demo: boolean
  /** The language tag of its online store; null: not known. */
  language: string | null
  settings: ShopDefaults
}

export async function readShop(scope: ShopScope): Promise<ShopRecord> {
  const row = await scope.one<{
    name: string
    domain: string
    demo: boolean
    language: string | null
    settings: unknown
  }>(
    `select name, domain, demo, profile ->> 'language' as language, settings from shops
     where id = :shop`,
  )
  return {
    name: row.name,
    domain: row.domain,
    demo: row.demo,
    language: row.language,
    settings: shopSettingsSchema.parse(row.settings),
  }
}

/** The language of emails to the shop. */
export const mailLanguageOf = ({ settings, language }: ShopRecord): TextLanguage =>
  languageOf(settings.mail_language ?? language)

/** Changes the given settings and no others. */
export async function changeShopSettings(
  scope: ShopScope,
  change: z.output<typeof settingsChange>,
): Promise<ShopDefaults> {
  await scope.query('update shops set settings = settings || :change::jsonb where id = :shop', {
    change: JSON.stringify(change),
  })
  return (await readShop(scope)).settings
}
