// Notifies the shop of an operation's end: a notice in the page, and an email if the shop's
// settings or the caller want one.
import { z } from 'zod'
import {
  definePlugin,
  english,
  say,
  sentences,
  textOf,
  type OperationView,
  type PresentFiles,
  type ReadContext,
  type Text,
  type ReportedItem,
} from '../contract/index.ts'
import {
  countPresent,
  countsOf,
  cutText,
  headlineOf,
  lostText,
  nextSteps,
  titleOf,
  unmappedText,
} from './labels.ts'

const options = z.strictObject({
  when: z.enum(['always', 'background', 'errors', 'matched', 'never']).default('always').meta({
    title: 'When',
    help: 'errors: an email when something failed; never: no email; background: imports, and operations large enough to run in the background; matched: when a file got a product. A notice appears in the page too, except for operations that background and matched leave out',
  }),
})
type Context = ReadContext<'actions'>
type NotifyCondition = z.output<typeof options>['when']

const SUMMARIES: Readonly<Record<NotifyCondition, Text>> = {
  always: say('Notifies the shop when it has ended'),
  background: say('Notifies the shop when it has ended, if it ran in the background'),
  errors: say('Creates a notice when it has ended, and sends an email when something failed'),
  matched: say('Notifies the shop when files got products'),
  never: say('Creates a notice when it has ended, and sends no email'),
}

export const notify = definePlugin({
  id: 'notify',
  kind: 'notify',
  title: 'Notify',
  options,
  undo: 'none',
  needs: ['notify', 'actions'],
  scope: 'operation',
  always: true,
  summary: ({ when }) => SUMMARIES[when],
  // A preview does not know how the operation will end.
  async *plan(operation, { when }, context) {
    context.signal.throwIfAborted()
    if (!isNotified(operation, when, context)) return
    const matched = when === 'matched'
    yield matched
      ? say('A notice in the page when a file got a product')
      : say('A notice in the page when it has ended')
    const who = context.shop.settings.recipients.join(', ')
    const [well, badly] = [
      wantsEmail('success', when, context),
      wantsEmail('failed', when, context),
    ]
    if (wantsSms(operation, when, context))
      yield matched
        ? say('A text message when a file got a product')
        : say('A text message when it has ended')
    if (well && badly)
      yield matched
        ? say('An email to {who} when a file got a product', { who })
        : say('An email to {who} when it has ended', { who })
    else if (well) yield say('An email to {who} when it is complete or partly complete', { who })
    else if (badly) yield say('An email to {who} when something failed', { who })
  },
  async run(operation, { when }, context) {
    context.signal.throwIfAborted()
    if (!isNotified(operation, when, context)) return {}
    const badly = operation.status !== 'success'
    const emails = wantsEmail(operation.status, when, context)
    const products = when === 'matched' || isAboutProducts(operation, context)
    const read = emails || operation.failed > 0 || products
    const lookup = { read, products }
    const { errors, warnings, ...lists } = await listsOf(operation, lookup, context.signal)
    const unmapped = lists.unmapped.length
    const present = await presentFiles(operation)
    const brought = operation.done - countPresent(present)
    if (when === 'matched' && brought === unmapped) return {}
    const { actions } = context
    const title = titleOf(operation)
    const headline = headlineOf(operation, present, unmapped, actions)
    const lost = operation.done > 0 ? await operation.lostDeliveries() : 0
    const next = [
      ...(lost > 0 ? [lostText(lost)] : []),
      ...nextSteps(operation, { errors, warnings, unmapped }, actions),
    ]
    const names = unmapped > 0 ? [unmappedText(lists.unmapped.listed, unmapped)] : []
    const asks = lost > 0 || isPartialUndo(operation)
    const body =
      badly || unmapped > 0 || asks ? sentences(headline, ...names, ...next.slice(0, 1)) : headline
    const level = asks && !badly ? 'warning' : LEVELS[operation.status]
    // A channel that could not begin has left its own notice; a sync often finds nothing new.
    if (operation.total > 0 || (operation.action !== 'import' && !operation.stopped))
      context.notify.notice({ level, title, body })
    if (wantsSms(operation, when, context))
      context.notify.sms(
        cutText(
          `${context.shop.name}: ${english(titleOf(operation, 'sms'))}. ${english(headline)}`,
          SMS_LENGTH,
        ),
      )
    if (emails) {
      const { id, status } = operation
      const shop = { name: context.shop.name }
      const counts = countsOf(operation, present, actions)
      const data = { id, title, status, headline, shop, counts, ...lists, next: next.map(textOf) }
      context.notify.email({ template: 'operation-finished', data })
    }
    return {}
  },
})

/** The done files that are counted apart from those that an import brought, or an undo put back. */
async function presentFiles(operation: OperationView): Promise<PresentFiles> {
  if (operation.action === 'import') return operation.present()
  const trashed = operation.action === 'undo' ? (await operation.present()).trashed : 0
  return { changed: 0, trashed, unchanged: 0, unpacked: 0 }
}

/** An undo skips files that were changed since. */
const isPartialUndo = ({ action, skipped }: OperationView): boolean =>
  action === 'undo' && skipped > 0

const LEVELS = {
  success: 'success',
  partial: 'warning',
  failed: 'critical',
  cancelled: 'info',
} as const

/** The most characters of one text message. */
const SMS_LENGTH = 160

/** Whether a text message is sent: for large imports, if the shop wants them. */
function wantsSms(
  { action, total }: OperationView,
  when: NotifyCondition,
  context: Context,
): boolean {
  const { sms_on_large_import: wanted, sms_recipients: numbers } = context.shop.settings
  if (!wanted || numbers.length === 0 || when === 'never') return false
  return (
    action === 'import' && total >= context.limits.sms_files && context.request.notify !== false
  )
}

/** Whether there is a notice: the caller of a small operation waits for it and sees its result. */
const isNotified = (operation: OperationView, when: NotifyCondition, context: Context): boolean =>
  when !== 'background' || context.request.notify === true || isBackground(operation, context)

/**
 * Whether the operation runs in the background: the person who started it may have left the page.
 */
function isBackground({ action, total }: OperationView, { limits, actions }: Context): boolean {
  if (action === 'import') return true
  return total > limits.background[actions.find(action)?.report.background ?? 'update']
}

/**
 * Whether an email is sent. The caller's request overrides the shop's settings. A partial result
 * counts as complete and as an error.
 */
function wantsEmail(
  status: OperationView['status'],
  when: NotifyCondition,
  { request, shop: { settings } }: Context,
): boolean {
  const { recipients, email_on_complete, email_on_errors } = settings
  if (recipients.length === 0 || when === 'never' || (when === 'errors' && status === 'success'))
    return false
  const complete = email_on_complete && (status === 'success' || status === 'partial')
  return request.notify ?? (complete || (email_on_errors && status !== 'success'))
}

// The lists of an operation's items in a message: the first ones of each kind, and the number of
// the others.

/** The most items named in one message; the others are counted. */
const MAX_LISTED = 50

export interface Line {
  filename: string
  /** The stable code, as the API and the log name it. */
  code: string
  message: Text
  /** Details beyond the message: `The server answered 404`. */
  detail: Text | null
  url: string | null
}

export interface Lists {
  failures: { listed: Line[]; more: number }
  unmapped: { listed: string[]; more: number; length: number }
  warned: { listed: Pick<Line, 'filename' | 'message'>[]; more: number }
  errors: Set<string>
  warnings: Set<string>
}

const UNKNOWN: NonNullable<ReportedItem['error']> = {
  code: 'unknown',
  message: say('It failed for an unknown reason'),
}

/** Whether files without a product are reported. For imports, the shop's settings decide. */
function isAboutProducts(
  { action }: OperationView,
  { shop: { settings }, actions }: Pick<ReadContext<'actions'>, 'shop' | 'actions'>,
): boolean {
  if (action === 'import') return settings.notify_unmapped
  return actions.find(action)?.report.unmapped ?? false
}

/**
 * Reads the lists.
 * @param read false: they stay empty
 * @param products lists items without a product too
 */
async function listsOf(
  operation: OperationView,
  { read, products }: { read: boolean; products: boolean },
  signal: AbortSignal,
): Promise<Lists> {
  const failures = createCappedList<Line>()
  const unmapped = createCappedList<string>()
  const warned = createCappedList<Lists['warned']['listed'][number]>()
  const errors = new Set<string>()
  const warnings = new Set<string>()
  const collect = (item: ReportedItem) => {
    const { filename, url, error } = item
    if (item.status === 'failed') {
      const { code, message, detail } = error ?? UNKNOWN
      failures.add({
        filename,
        code,
        message: textOf(message),
        url,
        detail: detail === undefined ? null : textOf(detail),
      })
      errors.add(code)
    }
    if (products && item.status === 'done' && !item.product_mapped) unmapped.add(filename)
    for (const { code, message } of item.warnings) {
      warned.add({ filename, message: textOf(message) })
      warnings.add(code)
    }
  }
  if (read)
    for await (const page of operation.reported(products)) {
      signal.throwIfAborted()
      page.forEach(collect)
    }
  return {
    failures: failures.cut(),
    unmapped: { ...unmapped.cut(), length: unmapped.count() },
    warned: warned.cut(),
    errors,
    warnings,
  }
}

/** A list that keeps the first elements and counts the others: an operation may have 100,000. */
function createCappedList<T>() {
  const listed: T[] = []
  let count = 0
  return {
    add: (one: T) => {
      if (count < MAX_LISTED) listed.push(one)
      count += 1
    },
    count: () => count,
    cut: () => ({ listed, more: count - listed.length }),
  }
}
