// Sends a mail about a run to people whom the workflow names. It has no buyers: an address is in the
// step or in the shop's settings, and no variable is one.
import { z } from 'zod'
import {
  checkVariables,
  definePlugin,
  emailAddress,
  messageFields,
  messageVariablesHelp,
  ownText,
  runMessages,
  say,
  sayFixed,
  sayPlain,
  type BaseContext,
  type Text,
} from '../contract/index.ts'

const MAX_PEOPLE = 10
/** The mails of such steps that a shop sends within 24 hours. */
const MOST_A_DAY = 200

const options = z
  .strictObject({
    to: z
      .array(emailAddress(sayPlain('Enter an email address')))
      .max(MAX_PEOPLE, sayFixed('At most {count} people', { count: MAX_PEOPLE }))
      .refine(
        (to) => new Set(to.map((one) => one.toLowerCase())).size === to.length,
        sayPlain('Each of them once'),
      )
      .default([])
      .meta({
        title: 'To',
        help: 'The email addresses of people. If there is none: the recipients in the settings.',
      }),
    subject: ownText(150).meta({ title: 'Subject', missing: 'Enter a subject' }),
    text: ownText(2000, { long: true }).meta({
      title: 'Text',
      help: messageVariablesHelp,
      widget: 'textarea',
      missing: 'Enter a text',
    }),
    ...messageFields,
  })
  .superRefine(({ subject, text, each }, context) =>
    checkVariables({ subject, text }, { each }, context),
  )

type Options = z.output<typeof options>

/** Empty: nobody would get it. */
const receivers = ({ to }: Pick<Options, 'to'>, { settings }: BaseContext['shop']) =>
  to.length > 0 ? to : settings.recipients

export const sendMail = definePlugin({
  id: 'send-mail',
  kind: 'notify',
  title: 'Send an email',
  options,
  undo: 'none',
  needs: ['notify'],
  scope: 'operation',
  always: true,
  summary: ({ to, subject, each }) => {
    const values = { subject, who: to.join(', ') }
    if (to.length === 0)
      return each
        ? say('Sends “{subject}” for each file to the recipients in the settings', values)
        : say('Sends “{subject}” to the recipients in the settings', values)
    return each
      ? say('Sends “{subject}” for each file to {who}', values)
      : say('Sends “{subject}” to {who}', values)
  },
  async *plan(operation, given, { signal, shop }) {
    signal.throwIfAborted()
    const who = receivers(given, shop).join(', ')
    const { messages } = await runMessages(operation, textsOf(given), given, shop)
    const [first] = messages
    if (!first) return
    if (who === '') {
      yield NOBODY
      return
    }
    yield say('{count, plural, one {An email} other {# emails}} to {who}', {
      count: messages.length,
      who,
    })
    yield say('Subject: {subject}', { subject: first.title })
    yield say('Text: {text}', { text: first.text })
  },
  async run(operation, given, { signal, shop, notify }) {
    signal.throwIfAborted()
    if (operation.status === 'cancelled') return {}
    const { messages, left } = await runMessages(operation, textsOf(given), given, shop)
    if (messages.length > 0 && receivers(given, shop).length === 0)
      return { warnings: [{ code: 'no_recipients', message: NOBODY }] }
    const { id } = operation
    for (const { title: subject, text } of messages)
      notify.email({
        template: 'workflow-mail',
        data: {
          id,
          subject,
          lines: text.split('\n'),
          shop: { name: shop.name },
          named: given.to.length > 0,
        },
        ...(given.to.length > 0 ? { to: given.to } : {}),
        most: MOST_A_DAY,
      })
    return left > 0 ? { warnings: [{ code: 'files_left_out', message: leftOut(left) }] } : {}
  },
})

const textsOf = ({ subject, text }: Options) => ({ title: subject, text })

const NOBODY = say('No email: there are no recipients in the settings')

const leftOut = (count: number): Text =>
  say('{count, plural, one {One file has} other {# files have}} no email of their own', { count })
