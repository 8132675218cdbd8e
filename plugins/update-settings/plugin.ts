// Changes files' settings. Absent options stay unchanged.
import { z } from 'zod'
import {
  checkAsk,
  definePlugin,
  downloadPassword,
  downloadPasswordHash,
  type FileSettings,
  type Item,
  MAX_EXPIRY_DAYS,
  MAX_FIRST_USE_HOURS,
  phrases,
  say,
  sayPlain,
  settingOptions,
  settingPhrases,
  type Text,
} from '../contract/index.ts'

const options = z
  .strictObject({
    ...settingOptions,
    add_expiry_days: z.int().min(1).max(MAX_EXPIRY_DAYS).optional().meta({
      title: 'Add days to the expiry',
      help: 'Files whose links never expire stay that way.',
      suffix: 'days',
    }),
    first_use_days: z
      .int()
      .min(1)
      .max(MAX_FIRST_USE_HOURS / 24)
      .optional()
      .meta({
        title: 'Expires after the first use (days)',
        help: 'The same as 24 hours for each day.',
        suffix: 'days',
      }),
    password: downloadPassword.optional().meta({
      title: 'Password',
      help: 'Buyers are asked for it before a download. It cannot be read again.',
      widget: 'password',
      sensitive: true,
    }),
  })
  .superRefine((value, context) => {
    if (Object.values(value).every((field) => field === undefined))
      context.addIssue({
        code: 'custom',
        message: sayPlain('Choose at least one setting to change'),
      })
    if (value.expiry_days !== undefined && value.add_expiry_days !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['add_expiry_days'],
        message: sayPlain('Either set the expiry or add to it'),
      })
    if (value.first_use_hours !== undefined && value.first_use_days !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['first_use_days'],
        message: sayPlain('Name either hours or days'),
      })
    checkAsk(value, context)
  })
  .meta({ minProperties: 1 })

type Options = z.output<typeof options>

/** Has no `run`: it makes one change to every file, unless days are added to each file's own. */
export const updateSettings = definePlugin({
  id: 'update-settings',
  kind: 'act',
  title: 'Update settings',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Update settings',
        menu: 'Change settings',
        title: 'Settings of {count, plural, one {# file} other {# files}}',
        running: 'Updating the settings of {count, plural, one {# file} other {# files}}',
        done: 'Settings of {count, plural, one {# file} other {# files}} updated',
        result: 'changed',
      },
    },
  ],
  form: {
    alternatives: [
      {
        title: 'Links expire',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'After a number of days',
            fields: ['expiry_days'],
            titles: { expiry_days: 'Days until links expire' },
          },
          {
            label: 'Add days to what each file has',
            fields: ['add_expiry_days'],
            titles: { add_expiry_days: 'Days to add' },
          },
          { label: 'Never', fields: [], set: { expiry_days: null } },
        ],
      },
      {
        title: 'Links allow',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'A number of downloads',
            fields: ['download_limit'],
            titles: { download_limit: 'Most downloads of a link' },
          },
          { label: 'Unlimited', fields: [], set: { download_limit: null } },
        ],
      },
      {
        title: 'Views in the browser',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'A number of views',
            fields: ['view_limit'],
            titles: { view_limit: 'Most views of a link' },
            help: 'Apart from downloads. Loading the page again within four hours is not counted.',
          },
          { label: 'Unlimited', fields: [], set: { view_limit: null } },
        ],
      },
      {
        title: 'Views end',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'After a number of days',
            fields: ['view_days'],
            titles: { view_days: 'Days until views end' },
            help: 'Shorter or longer than downloads.',
          },
          { label: 'When the link expires', fields: [], set: { view_days: null } },
        ],
      },
      {
        title: 'Files become available',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'From a day',
            fields: ['available_from'],
            titles: { available_from: 'Day' },
            help: 'In the shop’s time zone. Buyers who have the file already keep it.',
          },
          {
            label: 'Some days after the purchase',
            fields: ['available_after_days'],
            titles: { available_after_days: 'Days after the purchase' },
            help: 'If a file also has a day, the later of both counts.',
          },
          {
            label: 'Immediately',
            fields: [],
            set: { available_from: null, available_after_days: null },
          },
        ],
      },
      {
        title: 'After the first download or view, links expire',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'After a number of hours',
            fields: ['first_use_hours'],
            titles: { first_use_hours: 'Hours from the first use' },
          },
          {
            label: 'After a number of days',
            fields: ['first_use_days'],
            titles: { first_use_days: 'Days from the first use' },
          },
          { label: 'Never because of its use', fields: [], set: { first_use_hours: null } },
        ],
      },
      {
        title: 'Available to',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'Customers with a tag',
            fields: ['customer_tag'],
            titles: { customer_tag: 'Customer tag' },
            help: 'A subscription app sets and removes it. Applies to orders from now on.',
          },
          { label: 'All buyers', fields: [], set: { customer_tag: null } },
        ],
      },
      {
        title: 'Text for buyers',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'A text',
            fields: ['buyer_text'],
            titles: { buyer_text: 'Text' },
            help: 'Beside the file on the buyer’s page, in the library and in the mail about the order.',
          },
          { label: 'None', fields: [], set: { buyer_text: null } },
        ],
      },
      {
        title: 'Ask before a download',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          {
            label: 'The buyer’s email address',
            fields: [],
            set: { ask_for: 'email' },
            help: 'It must be the address of the order or of the link. Applies to links that exist already, too.',
          },
          {
            label: 'A password',
            fields: ['password'],
            titles: { password: 'Password' },
            help: 'Tell it to the buyers. Applies to links that exist already, too.',
          },
          { label: 'Nothing', fields: [], set: { ask_for: null } },
        ],
      },
      {
        title: 'Allowed referrers',
        as: 'select',
        choices: [
          { label: 'Leave unchanged', fields: [] },
          { label: 'Any site', fields: [], set: { allowed_referrers: [] } },
          {
            label: 'Only these sites',
            fields: ['allowed_referrers'],
            titles: { allowed_referrers: 'Sites' },
          },
        ],
      },
    ],
  },
  options,
  undo: 'fields',
  summary: (wanted) => phrases(...changesOf(wanted)),
  async *plan(items, { add_expiry_days, password, ...wanted }, { signal, shop }) {
    const asked =
      password === undefined ? {} : { ask_for: await downloadPasswordHash(password, shop.domain) }
    // Without days to add, no file is read, and all get the same change.
    const change = { set: { ...givenSettings(wanted), ...asked } }
    for (const item of items) {
      signal.throwIfAborted()
      const own =
        add_expiry_days === undefined
          ? change
          : { set: withDays(item, change.set, add_expiry_days) }
      yield { item: item.id, status: 'ok' as const, change: own }
    }
  },
})

/** `password` and what it sets are left out. */
function givenSettings({
  first_use_days: days,
  password: _,
  ...wanted
}: Omit<Options, 'add_expiry_days'>): Partial<FileSettings> {
  const set = days === undefined ? wanted : { ...wanted, first_use_hours: days * 24 }
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined))
}

function withDays(item: Item, set: Partial<FileSettings>, days: number): Partial<FileSettings> {
  const has = item.file.expiry_days
  return has === null ? set : { ...set, expiry_days: Math.min(MAX_EXPIRY_DAYS, has + days) }
}

function changesOf({ add_expiry_days, expiry_days, ...rest }: Options): Text[] {
  const more =
    add_expiry_days === undefined
      ? []
      : [say('{days, plural, one {# day} other {# days}} more', { days: add_expiry_days })]
  return [
    ...settingPhrases(givenSettings({ expiry_days })),
    ...more,
    ...settingPhrases(givenSettings(rest)),
  ]
}
