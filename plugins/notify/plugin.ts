// Tells the shop how an operation ended: a notice in the page always, an e-mail as the shop's settings or the caller ask.
import { z } from 'zod'
import { definePlugin, type FinishedItem, type OperationView, type ReadContext } from '../contract.ts'

const options = z.strictObject({})

/** Names listed in one message; the rest is a count. */
const LISTED = 50

export const notify = definePlugin({
  id: 'notify',
  kind: 'notify',
  title: 'Notify',
  options,
  undo: 'none',
  scope: 'operation',
  always: true,
  async *plan(operation, _options, context) {
    context.signal.throwIfAborted()
    yield `A notice in the page`
    if (wantsEmail(operation, context)) yield `An e-mail to ${context.shop.settings.recipients.join(', ')}`
  },
  async run(operation, _options, context) {
    context.signal.throwIfAborted()
    const lists = await listsOf(operation)
    const title = titleOf(operation)
    context.notify.notice({ level: LEVELS[operation.status], title, body: bodyOf(operation, lists.unmapped.length) })
    if (wantsEmail(operation, context)) {
      const { id, total, done, failed, skipped, cancelled, status } = operation
      const counts = { total, done, failed, skipped, cancelled }
      const shop = { name: context.shop.name }
      context.notify.email({ template: 'operation-finished', data: { id, title, status, shop, ...counts, ...lists } })
    }
    return {}
  },
})

const LEVELS = { success: 'success', partial: 'warning', failed: 'critical', cancelled: 'info' } as const

function wantsEmail(operation: OperationView, { request, shop }: ReadContext): boolean {
  if (shop.settings.recipients.length === 0) return false
  if (request.notify !== undefined) return request.notify
  return operation.status === 'success' ? shop.settings.email_on_complete : shop.settings.email_on_errors
}

async function listsOf(operation: OperationView) {
  const failures: { filename: string; message: string }[] = []
  const unmapped: string[] = []
  const warned: { filename: string; message: string }[] = []
  for await (const page of operation.items())
    for (const item of page) {
      if (item.status === 'failed') failures.push({ filename: item.file.filename, message: reasonOf(item) })
      if (item.status === 'done' && !item.product_mapped) unmapped.push(item.file.filename)
      for (const { message } of item.warnings) warned.push({ filename: item.file.filename, message })
    }
  const cut = <T>(list: readonly T[]) => ({ listed: list.slice(0, LISTED), more: Math.max(0, list.length - LISTED) })
  return { failures: cut(failures), unmapped: { ...cut(unmapped), length: unmapped.length }, warned: cut(warned) }
}

const reasonOf = (item: FinishedItem) => item.error?.message ?? 'It failed for an unknown reason'

function titleOf({ action, status }: OperationView): string {
  const what = action === 'import' ? 'Import' : action
  const how = { success: 'complete', partial: 'partly complete', failed: 'failed', cancelled: 'cancelled' }[status]
  return `${what} ${how}`
}

function bodyOf({ done, failed, total }: OperationView, unmapped: number): string {
  const parts = [`${done} of ${total} files imported`]
  if (failed > 0) parts.push(`${failed} failed`)
  if (unmapped > 0) parts.push(`${unmapped} not mapped to a product`)
  return `${parts.join(', ')}.`
}
