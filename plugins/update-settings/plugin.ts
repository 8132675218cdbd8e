// Changes files' settings. Absent options stay unchanged.
import { z } from 'zod'
import {
  definePlugin,
  MAX_EXPIRY_DAYS,
  settingOptions,
  settingPhrases,
  say,
  phrases,
  type FileSettings,
  type Item,
  type Text,
} from '../contract.ts'

const options = z
  .strictObject({
    ...settingOptions,
    add_expiry_days: z.int().min(1).max(MAX_EXPIRY_DAYS).optional().meta({
      title: 'Add days to the expiry',
      help: 'Files whose links never expire stay that way.',
      suffix: 'days',
    }),
  })
  .superRefine((value, context) => {
    if (Object.values(value).every((field) => field === undefined))
      context.addIssue({ code: 'custom', message: 'Choose at least one setting to change' })
    if (value.expiry_days !== undefined && value.add_expiry_days !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['add_expiry_days'],
        message: 'Either set the expiry or add to it',
      })
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
  async *plan(items, { add_expiry_days, ...wanted }, { signal }) {
    // Without days to add, no file is read, and all get the same change.
    const change = { set: givenSettings(wanted) }
    for (const item of items) {
      signal.throwIfAborted()
      const own =
        add_expiry_days === undefined
          ? change
          : { set: withDays(item, change.set, add_expiry_days) }
      yield await Promise.resolve({ item: item.id, status: 'ok' as const, change: own })
    }
  },
})

const givenSettings = (wanted: Omit<Options, 'add_expiry_days'>): Partial<FileSettings> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))

function withDays(item: Item, set: Partial<FileSettings>, days: number): Partial<FileSettings> {
  const has = item.file.expiry_days
  return has === null ? set : { ...set, expiry_days: Math.min(MAX_EXPIRY_DAYS, has + days) }
}

function changesOf({ add_expiry_days, expiry_days, ...rest }: Options): Text[] {
  const more =
    add_expiry_days === undefined ? [] : [say('{days} days more', { days: add_expiry_days })]
  return [
    ...settingPhrases(givenSettings({ expiry_days })),
    ...more,
    ...settingPhrases(givenSettings(rest)),
  ]
}
