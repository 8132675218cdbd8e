// Tells the shop how an operation ended: a notice in the page, and an e-mail as the shop's settings or the caller ask.
import { z } from 'zod'
import { definePlugin, type OperationView, type ReadContext } from '../contract.ts'
import { isAboutProducts, listsOf } from './lists.ts'
import { countsOf, headlineOf, namesOf, nextSteps, titleOf } from './words.ts'

const options = z.strictObject({
  when: z.enum(['always', 'background', 'errors', 'never']).default('always').meta({
    title: 'When',
    help: 'always; background: imports, and operations large enough to go on after whoever started them left; errors: when something failed; never',
  }),
})
type When = z.output<typeof options>['when']

const SUMMARIES: Readonly<Record<When, string>> = {
  always: 'Tells the shop when it has ended',
  background: 'Tells the shop when it has ended, if it went on in the background',
  errors: 'Tells the shop when something failed',
  never: 'Tells nobody',
}

export const notify = definePlugin({
  id: 'notify',
  kind: 'notify',
  title: 'Notify',
  options,
  undo: 'none',
  scope: 'operation',
  always: true,
  summary: ({ when }) => SUMMARIES[when],
  // How it will end is not known yet.
  async *plan(operation, { when }, context) {
    context.signal.throwIfAborted()
    if (!isTold(operation, when, context, true)) return
    const once = when === 'errors' ? 'when something failed' : 'when it has ended'
    yield `A notice in the page ${once}`
    const { recipients } = context.shop.settings
    const [well, badly] = [wantsEmail(context, false), wantsEmail(context, true)]
    if (badly && (well || when === 'errors')) yield `An e-mail to ${recipients.join(', ')} ${once}`
    else if (badly) yield `An e-mail to ${recipients.join(', ')} when something failed`
    else if (well && when !== 'errors') yield `An e-mail to ${recipients.join(', ')} when nothing failed`
  },
  async run(operation, { when }, context) {
    context.signal.throwIfAborted()
    const badly = operation.status !== 'success'
    if (!isTold(operation, when, context, badly)) return {}
    const emails = wantsEmail(context, badly)
    const products = isAboutProducts(operation, context)
    const read = emails || operation.failed > 0 || products
    const { errors, warnings, ...lists } = await listsOf(operation, { read, products }, context.signal)
    const unmapped = lists.unmapped.length
    const title = titleOf(operation)
    const headline = headlineOf(operation, unmapped)
    const next = nextSteps(operation, { errors, warnings, unmapped })
    const names = unmapped > 0 ? `${namesOf('Not mapped', lists.unmapped.listed, unmapped)} ` : ''
    const body = badly || unmapped > 0 ? `${headline} ${names}${next[0]}` : headline
    context.notify.notice({ level: LEVELS[operation.status], title, body })
    if (emails) {
      const { id, status } = operation
      const shop = { name: context.shop.name }
      const data = { id, title, status, headline, shop, counts: countsOf(operation), ...lists, next }
      context.notify.email({ template: 'operation-finished', data })
    }
    return {}
  },
})

const LEVELS = { success: 'success', partial: 'warning', failed: 'critical', cancelled: 'info' } as const

function isTold(operation: OperationView, when: When, context: ReadContext, badly: boolean): boolean {
  switch (when) {
    case 'always':
      return true
    case 'background':
      return context.request.notify === true || isBackground(operation, context)
    case 'errors':
      return badly
    case 'never':
      return false
  }
}

/** The specification's lower threshold is theirs. */
const DELETIONS: ReadonlySet<string> = new Set(['delete-files', 'purge-files'])

/** Nobody waits for these: whoever started them may have left. */
function isBackground({ action, total }: OperationView, { limits }: ReadContext): boolean {
  if (action === 'import') return true
  return total > (DELETIONS.has(action) ? limits.background.delete : limits.background.update)
}

/** As the caller asked, else as the shop's settings say. */
function wantsEmail({ request, shop: { settings } }: ReadContext, badly: boolean): boolean {
  if (settings.recipients.length === 0) return false
  return request.notify ?? (badly ? settings.email_on_errors : settings.email_on_complete)
}
