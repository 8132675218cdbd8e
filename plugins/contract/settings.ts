// The settings of a file, declared once: what each may be, its column, its names and its form.
// Admission, drafts, changes, undo, delivery, CSV files, the shop's defaults, forms and the API
// read this list, and the page what is generated from it. A new setting is one entry here, one column
// in the database, and what it does (CONTRIBUTING.md, "Add a setting of a file").
import { z } from 'zod'
import { say, sayFixed, sayPlain, type Text } from './text.ts'
import { PASSWORD_HASH } from './password.ts'
import { MAX_REFERRERS, referringSite } from './rules.ts'

export const MAX_EXPIRY_DAYS = 36_500
export const MAX_DOWNLOAD_LIMIT = 1_000_000_000
export const MAX_VIEW_LIMIT = 1_000_000_000
const MAX_SAMPLE_PAGES = 200
const MIN_SAMPLE_SECONDS = 5
const MAX_SAMPLE_SECONDS = 600

export interface Setting {
  schema: z.ZodType
  /** What requests and imports may give; absent: the same as `schema`. */
  given?: z.ZodType
  /** What answers show; absent: the same as `schema`. */
  shown?: z.ZodType
  /** The type of its column in `files`. The column has the setting's name. */
  column: 'int' | 'text' | 'boolean' | 'text[]'
  /** Its field in forms: see presentation.ts. */
  form: Readonly<Record<string, unknown>> & { title: string }
  /** Its description in the API. */
  description?: string
  example?: unknown
  /** The setting with its value in a line of text: `expiry 30 days`. */
  phrase(value: never): Text
  /** Its name in lists of the page, before its value: `Notification`. */
  label: string
  /** As a sentence names it: `Its expiry`: changed since. */
  subject: string
  /** A new file's value if the shop has no default. */
  usual: unknown
  /** The value for new files until the shop chooses one; absent: a shop cannot choose it. */
  shopDefault?: unknown
  /** The label of its check box among the shop's defaults, if `column` is a boolean. */
  shopSwitch?: string
  /** The setting's column in CSV files; absent: an import cannot give the setting. */
  entry?: EntryColumn
  /** The name that delivery uses, for settings that each download depends on. */
  delivery?: string
  /** Whether a change of it writes its column and nothing else. */
  plain: boolean
}

type EntryColumn = {
  /** The column of an export. */
  title: string
  /** Headers that other programs give such a column, without spaces, the likeliest first. */
  headers: readonly string[]
} & (NumberCells | ChoiceCells | SwitchCells | ListCells | DayCells | TextCells)

/** Cells with a number. An empty cell means the shop's default. */
interface NumberCells {
  /** The text of a cell for null, which the import reads back. */
  none: string
  /** The smallest value; absent: 1. */
  min?: number
  /** The largest value. */
  max: number
}

/** Cells with one of these words. An empty cell means the shop's default. */
interface ChoiceCells {
  values: readonly string[]
  /** The text of a cell for null; absent: no cell means null. */
  none?: string
}

/** Cells with `yes` or `no`. An empty cell means the shop's default. */
interface SwitchCells {
  switch: true
}

/** Cells with a list: `a.example.com;b.example.com`. An empty cell means the usual value. */
interface ListCells {
  /** The text of a cell for an empty list. */
  none: string
  list: true
}

/** Cells with a day. */
interface DayCells {
  none: string
  day: true
}

/** Cells with a text. */
interface TextCells {
  none: string
  maxLength: number
}

/** The text of a cell for null, of the terms that files usually do not have. */
const NO_TERM = 'none'

const VISIBILITIES = ['private', 'public'] as const
const VIEWS = ['download', 'both', 'view_only'] as const
const VIEW_PHRASES: Readonly<Record<(typeof VIEWS)[number], Text>> = {
  download: say('download only'),
  both: say('view and download'),
  view_only: say('view only'),
}
const KEEP = { absent: 'Leave unchanged' }

/** What answers show instead of the hash of a password. */
const HIDDEN = 'password'
const ASKS = ['email', HIDDEN] as const

export const MAX_FIRST_USE_HOURS = 876_000
/** The longest tag of the platform. */
const MAX_CUSTOMER_TAG = 255
const FIRST_YEAR = '2000'
const MAX_BUYER_TEXT = 1000

export const FILE_SETTINGS = {
  expiry_days: {
    schema: z
      .number()
      .int(sayPlain('Whole days'))
      .min(1, sayPlain('At least 1 day; null means never'))
      .max(
        MAX_EXPIRY_DAYS,
        sayFixed('At most {count} days; null means never', { count: MAX_EXPIRY_DAYS }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Links expire after (days)',
      help: 'Empty: they never expire.',
      widget: 'never',
      start: 60,
      suffix: 'days',
    },
    description: 'Days a link stays valid; null: it never expires',
    example: 60,
    phrase: (days: number | null) =>
      days === null
        ? say('links never expire')
        : say('expiry {days, plural, one {# day} other {# days}}', { days }),
    label: sayPlain('Links expire'),
    subject: sayPlain('Its expiry'),
    usual: null,
    shopDefault: 60,
    entry: {
      title: 'Expiry settings',
      none: 'never',
      max: MAX_EXPIRY_DAYS,
      headers: [
        'expirydays',
        'expiry',
        'expires',
        'expiration',
        'expirationdays',
        'validdays',
        'daysvalid',
        'days',
      ],
    },
    plain: true,
  },
  download_limit: {
    schema: z
      .number()
      .int(sayPlain('A whole number'))
      .min(1, sayPlain('At least 1; null means unlimited'))
      .max(
        MAX_DOWNLOAD_LIMIT,
        sayFixed('At most {count}; null means unlimited', { count: MAX_DOWNLOAD_LIMIT }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Downloads a link allows',
      help: 'Empty: unlimited.',
      widget: 'unlimited',
      start: 5,
      suffix: 'downloads',
    },
    description: 'Downloads that a link allows; null: unlimited',
    example: 5,
    phrase: (limit: number | null) =>
      limit === null ? say('unlimited downloads') : say('limit {count}', { count: limit }),
    label: sayPlain('Links allow'),
    subject: sayPlain('Its download limit'),
    usual: null,
    shopDefault: 5,
    entry: {
      title: 'Download limits',
      none: 'unlimited',
      max: MAX_DOWNLOAD_LIMIT,
      headers: [
        'downloadlimit',
        'limit',
        'maxdownloads',
        'maximumdownloads',
        'downloadslimit',
        'downloadsallowed',
      ],
    },
    plain: true,
  },
  visibility: {
    schema: z.enum(VISIBILITIES),
    column: 'text',
    form: {
      title: 'Visibility',
      ...KEEP,
      choices: { private: 'Private (a download link is required)', public: 'Public' },
      help: 'Private files need a download link; public files have a permanent address.',
    },
    phrase: (visibility: string) => (visibility === 'public' ? say('public') : say('private')),
    label: sayPlain('Visibility'),
    subject: sayPlain('Its visibility'),
    usual: 'private',
    shopDefault: 'private',
    entry: {
      title: 'Visibility',
      values: VISIBILITIES,
      headers: ['visibility', 'filevisibility'],
    },
    // A public file also needs an address.
    plain: false,
  },
  cdn: {
    schema: z.boolean(),
    column: 'boolean',
    form: { title: 'CDN', help: 'Deliver the file over the content delivery network.', ...KEEP },
    phrase: (on: boolean) => (on ? say('CDN on') : say('CDN off')),
    label: sayPlain('CDN'),
    subject: sayPlain('Its CDN setting'),
    usual: false,
    shopDefault: true,
    shopSwitch: sayPlain('Enable the CDN immediately'),
    entry: { title: 'CDN', switch: true, headers: ['cdn', 'cdnenabled', 'usecdn'] },
    plain: true,
  },
  download_notification: {
    schema: z.boolean(),
    column: 'boolean',
    form: { title: 'Notify me of each download', ...KEEP },
    phrase: (on: boolean) =>
      on ? say('download notification on') : say('download notification off'),
    label: sayPlain('Notification'),
    subject: sayPlain('Its download notification'),
    usual: false,
    entry: {
      title: 'Download notification',
      switch: true,
      headers: ['notify', 'notification', 'notifyofdownloads', 'downloadnotifications'],
    },
    delivery: 'notified',
    plain: true,
  },
  download_tracking: {
    schema: z.boolean(),
    column: 'boolean',
    form: { title: 'Store when and from where it was downloaded', ...KEEP },
    phrase: (on: boolean) => (on ? say('download tracking on') : say('download tracking off')),
    label: sayPlain('Tracking'),
    subject: sayPlain('Its download tracking'),
    usual: true,
    entry: {
      title: 'Download tracking',
      switch: true,
      headers: ['tracking', 'trackdownloads'],
    },
    delivery: 'tracked',
    plain: true,
  },
  allowed_referrers: {
    schema: z.array(referringSite).max(MAX_REFERRERS),
    column: 'text[]',
    form: {
      title: 'Allowed referrers',
      widget: 'referrers',
      placeholder: 'example.com',
      missing: 'Name at least one site, like example.com',
      help: 'Sites that may link to the file, like shop.example.com; none: any.',
    },
    description: 'Hosts that may link to the file, `*.example.com` for all subdomains; empty: any',
    example: ['shop.example.com'],
    phrase: (sites: readonly string[]) =>
      sites.length === 0
        ? say('any referrer')
        : say('referrers {sites}', { sites: sites.join(', ') }),
    label: sayPlain('Referrers'),
    subject: sayPlain('Its allowed referrers'),
    usual: [],
    entry: {
      title: 'Allowed referrers',
      none: 'any',
      list: true,
      headers: ['referrers', 'referrer', 'allowedsites', 'alloweddomains', 'allowedreferers'],
    },
    plain: true,
  },
  view: {
    schema: z.enum(VIEWS),
    column: 'text',
    form: {
      title: 'View in the browser',
      ...KEEP,
      choices: {
        download: 'Download only',
        both: 'View and download',
        view_only: 'View only',
      },
      help: 'Images, audio, video and PDF documents. Views are counted apart from downloads.',
    },
    description:
      'Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads',
    phrase: (view: (typeof VIEWS)[number]) => VIEW_PHRASES[view],
    label: sayPlain('View in the browser'),
    subject: sayPlain('Its view setting'),
    usual: 'download',
    shopDefault: 'download',
    entry: { title: 'View in the browser', values: VIEWS, headers: ['view', 'viewing'] },
    delivery: 'view',
    plain: true,
  },
  view_limit: {
    schema: z
      .number()
      .int(sayPlain('A whole number'))
      .min(1, sayPlain('At least 1; null means unlimited'))
      .max(
        MAX_VIEW_LIMIT,
        sayFixed('At most {count}; null means unlimited', { count: MAX_VIEW_LIMIT }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Views a link allows',
      help: 'Apart from downloads. Empty: unlimited.',
      widget: 'unlimited',
      start: 10,
      suffix: 'views',
    },
    description:
      'Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`',
    example: 10,
    phrase: (limit: number | null) =>
      limit === null
        ? say('unlimited views')
        : say('limit {count, plural, one {# view} other {# views}}', { count: limit }),
    label: sayPlain('Views'),
    subject: sayPlain('Its view limit'),
    usual: null,
    entry: {
      title: 'View limits',
      none: 'unlimited',
      max: MAX_VIEW_LIMIT,
      headers: ['viewlimit', 'maxviews', 'maximumviews', 'viewslimit', 'viewsallowed'],
    },
    plain: true,
  },
  view_days: {
    schema: z
      .number()
      .int(sayPlain('Whole days'))
      .min(1, sayPlain('At least 1 day; null means as long as the link is valid'))
      .max(
        MAX_EXPIRY_DAYS,
        sayFixed('At most {count} days; null means as long as the link is valid', {
          count: MAX_EXPIRY_DAYS,
        }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Views end after (days)',
      help: 'Empty: as long as the link is valid.',
      widget: 'never',
      start: 365,
      suffix: 'days',
    },
    description:
      'Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`',
    example: 365,
    phrase: (days: number | null) =>
      days === null
        ? say('views as long as links are valid')
        : say('views for {days, plural, one {# day} other {# days}}', { days }),
    label: sayPlain('Views end'),
    subject: sayPlain('Its expiry of views'),
    usual: null,
    entry: {
      title: 'View days',
      none: NO_TERM,
      max: MAX_EXPIRY_DAYS,
      headers: ['viewdays', 'viewexpiry', 'viewexpirydays', 'viewsexpire', 'daysviewable'],
    },
    plain: true,
  },
  available_from: {
    schema: z.iso
      .date({ error: 'Enter a day, like 2027-03-01', abort: true })
      .refine(
        (day) => day >= FIRST_YEAR,
        sayFixed('Enter a day from the year {year} on', { year: FIRST_YEAR }),
      )
      .nullable(),
    column: 'text',
    form: {
      title: 'Available from',
      help: 'A day in the time zone of the shop. Empty: immediately.',
      widget: 'day',
    },
    description:
      'The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then',
    example: '2027-03-01',
    phrase: (day: string | null) =>
      day === null ? say('no release date') : say('available from {day}', { day }),
    label: sayPlain('Available from'),
    subject: sayPlain('Its release date'),
    usual: null,
    entry: {
      title: 'Available from',
      none: NO_TERM,
      day: true,
      headers: ['availablefrom', 'releasedate', 'availabledate', 'releaseon', 'publishdate'],
    },
    plain: true,
  },
  available_after_days: {
    schema: z
      .number()
      .int(sayPlain('Whole days'))
      .min(1, sayPlain('At least 1 day; null means immediately'))
      .max(
        MAX_EXPIRY_DAYS,
        sayFixed('At most {count} days; null means immediately', { count: MAX_EXPIRY_DAYS }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Available after the purchase (days)',
      help: 'Empty: immediately.',
      widget: 'never',
      start: 7,
      suffix: 'days',
    },
    description:
      'Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created',
    example: 7,
    phrase: (days: number | null) =>
      days === null
        ? say('no wait after the purchase')
        : say('available {days, plural, one {# day} other {# days}} after the purchase', { days }),
    label: sayPlain('Available after the purchase'),
    subject: sayPlain('Its wait after the purchase'),
    usual: null,
    entry: {
      title: 'Available after days',
      none: NO_TERM,
      max: MAX_EXPIRY_DAYS,
      headers: [
        'availableafterdays',
        'availableafter',
        'dripdays',
        'delaydays',
        'releaseafterdays',
      ],
    },
    plain: true,
  },
  first_use_hours: {
    schema: z
      .number()
      .int(sayPlain('Whole hours'))
      .min(1, sayPlain('At least 1 hour; null means that the first use ends nothing'))
      .max(
        MAX_FIRST_USE_HOURS,
        sayFixed('At most {count} hours; null means that the first use ends nothing', {
          count: MAX_FIRST_USE_HOURS,
        }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Expires after the first use (hours)',
      help: 'From the first download or view. Empty: only as “Links expire after” says.',
      widget: 'never',
      start: 48,
      suffix: 'hours',
    },
    description:
      'Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both',
    example: 48,
    phrase: (hours: number | null) =>
      hours === null
        ? say('no expiry after the first use')
        : say('expires {hours, plural, one {# hour} other {# hours}} after the first use', {
            hours,
          }),
    label: sayPlain('Expires after the first use'),
    subject: sayPlain('Its expiry after the first use'),
    usual: null,
    entry: {
      title: 'First use hours',
      none: NO_TERM,
      max: MAX_FIRST_USE_HOURS,
      headers: ['firstusehours', 'rentalhours', 'hoursafterfirstuse'],
    },
    plain: true,
  },
  customer_tag: {
    schema: z
      .string()
      .trim()
      .min(1, sayPlain('Enter a tag; null means that none is required'))
      .max(MAX_CUSTOMER_TAG, sayFixed('At most {count} characters', { count: MAX_CUSTOMER_TAG }))
      .regex(/^[^,\p{Cc}]*$/u, sayPlain('A tag has no comma'))
      // In a CSV file it means that no tag is required.
      .refine(
        (tag) => tag.toLowerCase() !== NO_TERM,
        sayPlain('Enter a tag; null means that none is required'),
      )
      .nullable(),
    column: 'text',
    form: {
      title: 'Required customer tag',
      help: 'Buyers get the file while their customer has this tag in the shop. Empty: no tag is required.',
      placeholder: 'subscriber',
    },
    description:
      'The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none',
    example: 'subscriber',
    phrase: (tag: string | null) =>
      tag === null ? say('no customer tag required') : say('customer tag {tag}', { tag }),
    label: sayPlain('Available to'),
    subject: sayPlain('Its customer tag'),
    usual: null,
    entry: {
      title: 'Customer tag',
      none: NO_TERM,
      maxLength: MAX_CUSTOMER_TAG,
      headers: ['customertag', 'requiredtag', 'membershiptag'],
    },
    plain: true,
  },
  buyer_text: {
    schema: z
      .string()
      .overwrite((text) => text.replaceAll(/\r\n?/g, '\n').trim())
      .min(1, sayPlain('Enter a text; null means that buyers see none'))
      .max(MAX_BUYER_TEXT, sayFixed('At most {count} characters', { count: MAX_BUYER_TEXT }))
      .regex(/^[^\p{Cc}]*(?:[\n\t][^\p{Cc}]*)*$/u, sayPlain('The text has control characters'))
      // In a CSV file it means no text.
      .refine(
        (text) => text.toLowerCase() !== NO_TERM,
        sayPlain('Enter a text; null means that buyers see none'),
      )
      .nullable(),
    column: 'text',
    form: {
      title: 'Text for buyers',
      help: 'Instructions or thanks, beside the file on the buyer’s page, in the library and in the mail about the order. Addresses become links.',
      widget: 'textarea',
      placeholder: 'Unpack the ZIP file, then open Start.pdf.',
    },
    description:
      'A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders',
    example: 'Unpack the ZIP file, then open Start.pdf.',
    phrase: (text: string | null) =>
      text === null ? say('no text for buyers') : say('a text for buyers'),
    label: sayPlain('Text for buyers'),
    subject: sayPlain('Its text for buyers'),
    usual: null,
    entry: {
      title: 'Text for buyers',
      none: NO_TERM,
      maxLength: MAX_BUYER_TEXT,
      headers: ['buyertext', 'textforbuyers', 'instructions', 'buyernote', 'downloadinstructions'],
    },
    plain: true,
  },
  ask_for: {
    // 'email', or the hash of a password.
    schema: z
      .string()
      .refine((asked) => asked === 'email' || PASSWORD_HASH.test(asked))
      .nullable(),
    given: z.enum(ASKS).nullable(),
    shown: z.enum(ASKS).nullable(),
    column: 'text',
    form: {
      title: 'Ask before a download',
      ...KEEP,
      choices: { email: 'The buyer’s email address', password: 'A password' },
      help: 'Applies to links that exist already, too.',
    },
    description:
      'What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again',
    example: 'email',
    phrase: (asked: string | null) =>
      asked === null
        ? say('nothing is asked for before a download')
        : asked === 'email'
          ? say('the email address is asked for before a download')
          : say('a password is asked for before a download'),
    label: sayPlain('Asked before a download'),
    subject: sayPlain('What it asks for'),
    usual: null,
    entry: {
      title: 'Ask for',
      none: NO_TERM,
      values: ['email'],
      headers: ['askfor', 'ask', 'protection', 'gate'],
    },
    plain: true,
  },
  sample_pages: {
    schema: z
      .number()
      .int(sayPlain('Whole pages'))
      .min(1, sayPlain('At least 1 page; null means no sample'))
      .max(
        MAX_SAMPLE_PAGES,
        sayFixed('At most {count} pages; null means no sample', { count: MAX_SAMPLE_PAGES }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Sample of PDF documents (pages)',
      help: 'The first pages, for everyone, at a public address. At most half of the document.',
      suffix: 'pages',
    },
    description:
      'The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none',
    example: 5,
    phrase: (pages: number | null) =>
      pages === null
        ? say('no sample of pages')
        : say('sample {pages, plural, one {# page} other {# pages}}', { pages }),
    label: sayPlain('Sample'),
    subject: sayPlain('Its sample'),
    usual: null,
    entry: {
      title: 'Sample pages',
      none: NO_TERM,
      max: MAX_SAMPLE_PAGES,
      headers: ['samplepages', 'previewpages'],
    },
    plain: true,
  },
  sample_seconds: {
    schema: z
      .number()
      .int(sayPlain('Whole seconds'))
      .min(MIN_SAMPLE_SECONDS, sayPlain('At least 5 seconds; null means no sample'))
      .max(
        MAX_SAMPLE_SECONDS,
        sayFixed('At most {count} seconds; null means no sample', { count: MAX_SAMPLE_SECONDS }),
      )
      .nullable(),
    column: 'int',
    form: {
      title: 'Sample of audio (seconds)',
      help: 'The beginning, for everyone, at a public address. At most half of the file.',
      suffix: 'seconds',
    },
    description:
      'The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none',
    example: 30,
    phrase: (seconds: number | null) =>
      seconds === null
        ? say('no sample of audio')
        : say('sample {seconds, plural, one {# second} other {# seconds}}', { seconds }),
    label: sayPlain('Sample'),
    subject: sayPlain('Its sample'),
    usual: null,
    entry: {
      title: 'Sample seconds',
      none: NO_TERM,
      min: MIN_SAMPLE_SECONDS,
      max: MAX_SAMPLE_SECONDS,
      headers: ['sampleseconds', 'previewseconds'],
    },
    plain: true,
  },
} as const satisfies Record<string, Setting>

type Settings = typeof FILE_SETTINGS
export type SettingName = keyof Settings

/**
 * The values of all settings. Days of null: links never expire. A limit of null: downloads are
 * unlimited.
 */
export type FileSettings = {
  [Name in SettingName]: Settings[Name] extends { column: 'text[]' }
    ? readonly string[]
    : z.output<Settings[Name]['schema']>
}

export const SETTING_NAMES = Object.keys(FILE_SETTINGS) as readonly SettingName[]

type NamesWith<Key extends keyof Setting> = {
  [Name in SettingName]: Settings[Name] extends Record<Key, unknown> ? Name : never
}[SettingName]

export type EntrySettingName = NamesWith<'entry'>
export type ShopSettingName = NamesWith<'shopDefault'>
export type DeliverySettingName = NamesWith<'delivery'>

const namesWith = <Key extends 'entry' | 'shopDefault' | 'delivery'>(key: Key) =>
  SETTING_NAMES.filter((name) => key in FILE_SETTINGS[name]) as unknown as readonly NamesWith<Key>[]

/** Settings that an import may give for each file. */
export const ENTRY_SETTINGS = namesWith('entry')
/** Settings whose value for new files a shop chooses. */
export const SHOP_SETTINGS = namesWith('shopDefault')
/** Settings that delivery reads with each download. */
export const DELIVERY_SETTINGS = namesWith('delivery')

/** The settings that an import contains for one file. Absent: the shop's default. */
export type EntrySettings = {
  [Name in Exclude<EntrySettingName, 'ask_for'>]?: FileSettings[Name] | undefined
} & { ask_for?: 'email' | null | undefined }

/** A record with one value for each setting that an import may give. */
export const forEntrySettings = <Value>(
  valueOf: (name: EntrySettingName) => Value,
): Record<EntrySettingName, Value> =>
  Object.fromEntries(ENTRY_SETTINGS.map((name) => [name, valueOf(name)])) as Record<
    EntrySettingName,
    Value
  >

const listed = Object.entries(FILE_SETTINGS) as [SettingName, Setting][]

/** The settings alone, of a file, a draft or a row. */
export function settingsOf<From extends FileSettings>(from: From): Pick<From, SettingName> {
  const all: Partial<Record<SettingName, unknown>> = {}
  for (const name of SETTING_NAMES) all[name] = from[name]
  return all as Pick<From, SettingName>
}

/** The settings of a new file, before the shop's own defaults. */
export const usualSettings = (): FileSettings =>
  Object.fromEntries(listed.map(([name, { usual }]) => [name, usual])) as unknown as FileSettings

/**
 * The settings' columns with their types. `plain`: only of settings that write nothing except their
 * column.
 */
export const settingColumns = ({ plain = false } = {}) =>
  Object.fromEntries(
    listed.filter(([, one]) => one.plain || !plain).map(([name, { column }]) => [name, column]),
  ) as Readonly<Record<SettingName, Setting['column']>>

type Schema<Name extends SettingName, As extends 'given' | 'shown'> =
  Settings[Name] extends Record<As, infer Own extends z.ZodType> ? Own : Settings[Name]['schema']
type Optional = { [Name in SettingName]: z.ZodOptional<Schema<Name, 'given'>> }
type Shape = { [Name in SettingName]: Schema<Name, 'shown'> }
type EntryFields = {
  [Name in EntrySettingName]: z.ZodOptional<
    Name extends 'ask_for' ? z.ZodNullable<z.ZodLiteral<'email'>> : Schema<Name, 'given'>
  >
}

/** The settings as options of a plugin. An absent one stays unchanged. */
export const settingOptions = Object.fromEntries(
  listed.map(([name, { schema, given = schema, form }]) => [name, given.optional().meta(form)]),
) as Optional

const described = ({ description, example }: Setting, schema: z.ZodType) =>
  description === undefined
    ? schema
    : schema.meta({ description, ...(example === undefined ? {} : { example }) })

/** The settings as fields of the API's replies. */
export const settingFields = Object.fromEntries(
  listed.map(([name, one]) => [name, described(one, one.shown ?? one.schema)]),
) as Shape

/** The settings of a file as answers show them: without the hash of a password. */
export const shownSettings = <From extends FileSettings>(from: From) => {
  const { ask_for: asked, ...others } = settingsOf(from)
  return { ...others, ask_for: shownAsk(asked) }
}

export const shownAsk = (asked: string | null): (typeof ASKS)[number] | null =>
  asked === null || asked === 'email' ? asked : HIDDEN

/** The settings that an import may give, as fields of its entries. Entries are kept: no passwords. */
export const entrySettingFields = Object.fromEntries(
  listed.flatMap(([name, one]) => {
    if (!('entry' in one)) return []
    const schema = name === 'ask_for' ? z.literal('email').nullable() : (one.given ?? one.schema)
    return [[name, described(one, schema).optional()]]
  }),
) as EntryFields

/** The settings as fields of the API's requests. An absent one stays unchanged. */
export const settingChanges = Object.fromEntries(
  listed.map(([name, one]) => [name, described(one, one.given ?? one.schema).optional()]),
) as Optional

/** The settings whose defaults a shop chooses, as fields of the settings of the shop. */
export const shopSettingFields = Object.fromEntries(
  SHOP_SETTINGS.map((name) => [name, FILE_SETTINGS[name].schema]),
) as Pick<Shape, ShopSettingName>

export const shopSettingsWithDefaults = Object.fromEntries(
  listed.flatMap(([name, { schema, shopDefault }]) =>
    shopDefault === undefined ? [] : [[name, schema.default(shopDefault as never)]],
  ),
) as { [Name in ShopSettingName]: z.ZodDefault<Shape[Name]> }

/** The given settings, a line of text for each. */
export const settingPhrases = (given: Partial<FileSettings>): Text[] =>
  SETTING_NAMES.flatMap((name) => {
    const value = given[name]
    return value === undefined
      ? []
      : [(FILE_SETTINGS[name].phrase as (value: unknown) => Text)(value)]
  })
