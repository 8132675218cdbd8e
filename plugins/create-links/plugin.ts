// Creates a buyer's link for each file, with the file's own terms unless the options say otherwise.
import { z } from 'zod'
import {
  checkAsk,
  definePlugin,
  downloadPassword,
  downloadPasswordHash,
  emailAddress,
  type Item,
  type NewLink,
  MAX_DOWNLOAD_LIMIT,
  MAX_EXPIRY_DAYS,
  MAX_VIEW_LIMIT,
  phrases,
  say,
  sayPlain,
  settingPhrases,
} from '../contract/index.ts'

const MAX_PER_FILE = 1000

const terms = {
  expiry_days: z.int().min(1).max(MAX_EXPIRY_DAYS).nullable().optional().meta({
    title: 'Links expire after (days)',
    help: 'Absent: each file’s own setting. Empty: they never expire.',
    widget: 'never',
  }),
  download_limit: z.int().min(1).max(MAX_DOWNLOAD_LIMIT).nullable().optional().meta({
    title: 'Downloads a link allows',
    help: 'Absent: each file’s own setting. Empty: unlimited.',
    widget: 'unlimited',
  }),
  view_limit: z.int().min(1).max(MAX_VIEW_LIMIT).nullable().optional().meta({
    title: 'Views a link allows',
    help: 'Absent: each file’s own setting. Empty: unlimited.',
    widget: 'unlimited',
  }),
  view_days: z.int().min(1).max(MAX_EXPIRY_DAYS).nullable().optional().meta({
    title: 'Views end after (days)',
    help: 'Absent: each file’s own setting. Empty: as long as the link is valid.',
    widget: 'never',
  }),
  email: emailAddress('This is not an email address').optional().meta({
    title: 'The customer’s email address',
    help: 'Kept with the links, so that they can be sent there.',
  }),
}
const askFor = z
  .enum(['nothing', 'email', 'password'])
  .nullable()
  .optional()
  .meta({
    title: 'Ask before a download',
    absent: 'What each file asks for',
    choices: { nothing: 'Nothing', email: 'The buyer’s email address', password: 'A password' },
  })
const fileId = z.string().regex(/^file_[0-9a-f]{32}$/, sayPlain('This is not the id of a file'))
const ofFile = z.strictObject({
  file_id: fileId.meta({ title: 'File' }),
  ...terms,
  ask_for: z.enum(['nothing', 'email']).optional(),
})

const options = z
  .strictObject({
    ...terms,
    ask_for: askFor,
    password: downloadPassword.optional().meta({
      title: 'Password',
      help: 'Tell it to the buyers: it is not in the emails, and cannot be read again.',
      widget: 'password',
      sensitive: true,
    }),
    send_emails: z.boolean().default(false).meta({
      title: 'Send them',
      help: 'An email for each link that has an address.',
    }),
    per_file: z.array(ofFile).max(MAX_PER_FILE).optional().meta({
      title: 'Terms of single files',
      widget: 'none',
    }),
  })
  .superRefine(({ email, send_emails, per_file = [], ...asked }, context) => {
    checkAsk(asked, context)
    if (send_emails && email === undefined && per_file.every((one) => one.email === undefined))
      context.addIssue({
        code: 'custom',
        path: ['email'],
        message: sayPlain('Enter the address that they are sent to'),
      })
    const ids = per_file.map(({ file_id }) => file_id)
    ids.forEach((id, at) => {
      if (ids.indexOf(id) < at)
        context.addIssue({
          code: 'custom',
          path: ['per_file', at, 'file_id'],
          message: sayPlain('This file is named twice'),
        })
    })
  })
type Options = z.output<typeof options>
type Wanted = Omit<Options, 'password' | 'ask_for'> & Pick<NewLink, 'ask_for'>
type Terms = Omit<z.output<typeof ofFile>, 'file_id'>

/**
 * Has no `run`: the link is created in the transaction that writes the file's outcome. An undo
 * revokes it.
 */
export const createLinks = definePlugin({
  id: 'create-links',
  kind: 'act',
  title: 'Create download links',
  actions: [
    {
      group: 'deliver',
      body: 'links',
      promoted: true,
      labels: {
        action: 'Create download links',
        title: 'Create {count, plural, one {# download link} other {# download links}}',
        button: 'Create {count, plural, one {# download link} other {# download links}}',
        running: 'Creating links to {count, plural, one {# file} other {# files}}',
        done: 'Links to {count, plural, one {# file} other {# files}} created',
        result: 'given links',
      },
      preview: 'none',
    },
  ],
  options,
  undo: 'fields',
  worksOn: 'files',
  permission: 'links:write',
  summary: ({
    expiry_days,
    download_limit,
    view_limit,
    view_days,
    email,
    send_emails,
    ask_for: asked,
  }) =>
    phrases(
      say('A link for each file'),
      ...(expiry_days === undefined
        ? []
        : [
            expiry_days === null
              ? say('never expires')
              : say('valid {days, plural, one {# day} other {# days}}', { days: expiry_days }),
          ]),
      ...(download_limit === undefined
        ? []
        : [
            download_limit === null
              ? say('unlimited')
              : say('limit {count}', { count: download_limit }),
          ]),
      ...settingPhrases(defined({ view_limit, view_days })),
      ...((asked ?? 'nothing') === 'nothing'
        ? []
        : [
            asked === 'email'
              ? say('the email address is asked for')
              : say('a password is asked for'),
          ]),
      ...(send_emails
        ? [say('sent by email')]
        : email === undefined
          ? []
          : [say('with an email address')]),
    ),
  async *plan(items, { password, ...given }, { signal, shop }) {
    const wanted =
      password === undefined
        ? given
        : { ...given, ask_for: await downloadPasswordHash(password, shop.domain) }
    const own = new Map(wanted.per_file?.map(({ file_id, ...rest }) => [file_id, rest]))
    for (const item of items) {
      signal.throwIfAborted()
      yield {
        item: item.id,
        status: 'ok' as const,
        link: linkFor(item, wanted, own),
      }
    }
  },
})

function linkFor(item: Item, wanted: Wanted, own: ReadonlyMap<string, Terms>): NewLink {
  const { expiry_days, download_limit, view_limit, view_days, email, send_emails, ask_for } = wanted
  const link = {
    ...defined({ expiry_days, download_limit, view_limit, view_days, email, ask_for }),
    ...defined(own.get(publicId(item.file.id)) ?? {}),
  }
  return send_emails && link.email ? { ...link, send: true } : link
}

const publicId = (id: string | null) => `file_${(id ?? '').replaceAll('-', '')}`

const defined = <Terms extends object>(terms: Terms): Given<Terms> =>
  Object.fromEntries(
    Object.entries(terms).filter(([, value]) => value !== undefined),
  ) as Given<Terms>
type Given<Terms> = { [Name in keyof Terms]?: Exclude<Terms[Name], undefined> }
