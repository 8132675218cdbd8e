// Changes files' settings: what is not named stays as it is.
import { z } from 'zod'
import { definePlugin, MAX_REFERRERS, referringSite, type FileSettings, type Item } from '../contract.ts'

const MAX_DAYS = 36_500
const days = z.int().min(1).max(MAX_DAYS)

const options = z
  .strictObject({
    expiry_days: days.nullable().optional().meta({
      title: 'Links expire after (days)',
      help: 'Empty: they never expire.',
      widget: 'never',
      start: 60,
      suffix: 'days',
    }),
    add_expiry_days: days.optional().meta({
      title: 'Add days to the expiry',
      help: 'Files whose links never expire stay that way.',
      suffix: 'days',
    }),
    download_limit: z.int().min(1).max(1_000_000_000).nullable().optional().meta({
      title: 'Downloads a link allows',
      help: 'Empty: unlimited.',
      widget: 'unlimited',
      suffix: 'downloads',
      start: 5,
    }),
    visibility: z
      .enum(['private', 'public'])
      .optional()
      .meta({
        title: 'Visibility',
        absent: 'Leave as it is',
        choices: { private: 'Private (a download link is required)', public: 'Public' },
        help: 'Private files need a download link; public ones have an address of their own.',
      }),
    cdn: z
      .boolean()
      .optional()
      .meta({ title: 'CDN', help: 'Deliver the file over the content delivery network.', absent: 'Leave as it is' }),
    download_notification: z.boolean().optional().meta({ title: 'Tell me of each download', absent: 'Leave as it is' }),
    download_tracking: z
      .boolean()
      .optional()
      .meta({ title: 'Keep when and from where it was downloaded', absent: 'Leave as it is' }),
    allowed_referrers: z.array(referringSite).max(MAX_REFERRERS).optional().meta({
      title: 'Allowed referrers',
      widget: 'referrers',
      placeholder: 'example.com',
      missing: 'Name at least one site, like example.com',
      help: 'Sites that may lead to the file, as shop.example.com; none: any.',
    }),
  })
  .superRefine((value, context) => {
    if (Object.values(value).every((field) => field === undefined))
      context.addIssue({ code: 'custom', message: 'Choose at least one setting to change' })
    if (value.expiry_days !== undefined && value.add_expiry_days !== undefined)
      context.addIssue({ code: 'custom', path: ['add_expiry_days'], message: 'Either set the expiry or add to it' })
  })
  .meta({ minProperties: 1 })

type Options = z.output<typeof options>

/** Plans only: one change for every file, but for days that are added to each file's own. */
export const updateSettings = definePlugin({
  id: 'update-settings',
  kind: 'act',
  title: 'Update settings',
  actions: [
    {
      group: 'organize',
      promoted: true,
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
          { label: 'Leave as it is', fields: [] },
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
          { label: 'Leave as it is', fields: [] },
          {
            label: 'A number of downloads',
            fields: ['download_limit'],
            titles: { download_limit: 'Most downloads of a link' },
          },
          { label: 'Unlimited', fields: [], set: { download_limit: null } },
        ],
      },
      {
        title: 'Allowed referrers',
        as: 'select',
        choices: [
          { label: 'Leave as it is', fields: [] },
          { label: 'Any site', fields: [], set: { allowed_referrers: [] } },
          { label: 'Only these sites', fields: ['allowed_referrers'], titles: { allowed_referrers: 'Sites' } },
        ],
      },
    ],
  },
  options,
  undo: 'fields',
  summary: (wanted) => phrases(wanted).join(', '),
  async *plan(items, wanted, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield await Promise.resolve({ item: item.id, status: 'ok' as const, change: { set: settingsFor(item, wanted) } })
    }
  },
})

const named = (wanted: Omit<Options, 'add_expiry_days'>): Partial<FileSettings> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))

function settingsFor(item: Item, { add_expiry_days, ...wanted }: Options): Partial<FileSettings> {
  const set = named(wanted)
  // Without days to add the file is not looked at: then the change is the same for all of them.
  if (add_expiry_days === undefined) return set
  const has = item.file.expiry_days
  if (has === null) return set
  return { ...set, expiry_days: Math.min(MAX_DAYS, has + add_expiry_days) }
}

function phrases(wanted: Options): string[] {
  const { expiry_days, add_expiry_days, download_limit, visibility, allowed_referrers } = wanted
  const onOff = (value: boolean | undefined, what: string) =>
    value === undefined ? [] : [`${what} ${value ? 'on' : 'off'}`]
  return [
    ...(expiry_days === undefined ? [] : [expiry_days === null ? 'links never expire' : `expiry ${expiry_days} days`]),
    ...(add_expiry_days === undefined ? [] : [`${add_expiry_days} days more`]),
    ...(download_limit === undefined
      ? []
      : [download_limit === null ? 'unlimited downloads' : `limit ${download_limit}`]),
    ...(visibility === undefined ? [] : [visibility]),
    ...onOff(wanted.cdn, 'CDN'),
    ...onOff(wanted.download_notification, 'download notification'),
    ...onOff(wanted.download_tracking, 'download tracking'),
    ...(allowed_referrers === undefined
      ? []
      : [allowed_referrers.length === 0 ? 'any referrer' : `referrers ${allowed_referrers.join(', ')}`]),
  ]
}
