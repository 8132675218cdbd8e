// Creates a notice about a run, in the words of the merchant.
import { z } from 'zod'
import {
  checkVariables,
  definePlugin,
  messageFields,
  messageVariablesHelp,
  ownText,
  runMessages,
  say,
  verbatim,
} from '../contract/index.ts'

const options = z
  .strictObject({
    level: z
      .enum(['info', 'success', 'warning', 'critical'])
      .default('info')
      .meta({
        title: 'Kind',
        choices: {
          info: 'Information',
          success: 'Success',
          warning: 'Warning',
          critical: 'Problem',
        },
      }),
    title: ownText(100).meta({ title: 'Title', missing: 'Enter a title' }),
    text: ownText(1000, { long: true }).meta({
      title: 'Text',
      help: messageVariablesHelp,
      widget: 'textarea',
      missing: 'Enter a text',
    }),
    ...messageFields,
  })
  .superRefine(({ title, text, each }, context) =>
    checkVariables({ title, text }, { each }, context),
  )

export const createNotice = definePlugin({
  id: 'create-notice',
  kind: 'notify',
  title: 'Create a notice',
  options,
  undo: 'none',
  needs: ['notify'],
  scope: 'operation',
  always: true,
  summary: ({ title, each }) =>
    each
      ? say('Creates the notice “{title}” for each file', { title })
      : say('Creates the notice “{title}”', { title }),
  async *plan(operation, given, { signal, shop }) {
    signal.throwIfAborted()
    const { messages } = await runMessages(operation, given, given, shop)
    const [first] = messages
    if (!first) return
    yield say('{count, plural, one {A notice} other {# notices}} in the page: “{title}”', {
      count: messages.length,
      title: first.title,
    })
    yield say('Text: {text}', { text: first.text })
  },
  async run(operation, given, { signal, shop, notify }) {
    signal.throwIfAborted()
    if (operation.status === 'cancelled') return {}
    const { messages, left } = await runMessages(operation, given, given, shop)
    const { level } = given
    for (const { title, text } of messages)
      notify.notice({ level, title: verbatim(title), body: verbatim(text) })
    const message = say(
      '{count, plural, one {One file has} other {# files have}} no notice of their own',
      { count: left },
    )
    return left > 0 ? { warnings: [{ code: 'files_left_out', message }] } : {}
  },
})
