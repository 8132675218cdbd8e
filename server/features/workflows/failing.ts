// The runs of a workflow of the shop that end with failed files: since when, which ones, and who is
// told. A run has failed if one of its parts has, and a retry of it is no other run.
import { z } from 'zod'
import { say, sentences, textOf, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId, toOperationId } from '../../core/ids.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import type { MailPayload } from '../../core/outbox/outbox.ts'
import { type EndedOperation, defineEvent, raiseEvent } from '../../core/outbox/webhook-events.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { reportedItems } from '../../engine/items.ts'
import type { OperationRow } from '../../engine/types.ts'
import { readShop } from '../../files/shop-settings.ts'
import { MAX_FAILED_RUNS, type IfNot } from './if-not.ts'

export const workflowRecovered = defineEvent({
  name: 'workflow.recovered',
  title: say('A workflow works again'),
  about: 'The first run of a workflow without failed files after runs that had some',
  data: z.object({
    operation_id: z.string(),
    workflow_id: z.string(),
    failing_since: z.iso.datetime(),
  }),
})

/** Notes how a run of a workflow of the shop ended, in the transaction that ends it. */
export async function noteEnd(
  tx: ShopScope,
  operation: OperationRow,
  end: EndedOperation,
): Promise<void> {
  const { workflow, continues } = operation
  // What follows a wait decides how the run ends.
  const goesOn = workflow.after !== undefined && end.worked && !operation.stopped
  if (end.failed) return noteFailure(tx, operation, await runOf(tx, operation))
  if (goesOn) return
  const whole = continues !== null || workflow.after !== undefined
  const run = await runOf(tx, operation)
  if (whole && (await hasFailedPart(tx, run))) return
  await noteSuccess(tx, operation, run, end.worked)
}

/** The first part of the operation's run: a bare UUID. */
async function runOf(tx: ShopScope, { id, continues }: OperationRow): Promise<string> {
  if (continues === null) return id
  const first = await tx.first<{ id: string }>(
    `with recursive up as (
       select id, continues, 1 as n from operations where shop_id = :shop and id = :continues
       union all select o.id, o.continues, n + 1 from up
         join operations o on o.shop_id = :shop and o.id = up.continues)
     select id from up order by n desc limit 1`,
    { continues },
  )
  return first?.id ?? id
}

/** Whether files of one of its parts have failed, and were not retried since. */
const hasFailedPart = (tx: ShopScope, run: string): Promise<boolean> =>
  tx.has(
    `with recursive parts as (
       select id, status from operations where shop_id = :shop and id = :run
       union all select o.id, o.status from parts
         join operations o on o.shop_id = :shop and o.continues = parts.id)
     select 1 from parts where status in ('partial', 'failed') limit 1`,
    { run },
  )

interface NotedRow {
  name: string
  if_not: IfNot | null
  since: Date | null
  runs: number
  tells: boolean
}

async function noteFailure(tx: ShopScope, operation: OperationRow, run: string): Promise<void> {
  const row = await tx.first<NotedRow>(
    `update workflows set failing_since = coalesce(failing_since, now()), failed_runs = f.runs,
       failure_told = failure_told or f.tells
     from (select runs, w.enabled and w.if_not is not null
         and cardinality(runs) >= (w.if_not ->> 'after')::int as tells
       from workflows w, lateral (select case when :run = any(w.failed_runs) then w.failed_runs
         else (w.failed_runs || :run::uuid)[greatest(1, cardinality(w.failed_runs) + 2 - :most::int):]
         end as runs) r
       where w.shop_id = :shop and w.id = :workflow) f
     where workflows.shop_id = :shop and workflows.id = :workflow
     returning name, if_not, workflows.failing_since as since, cardinality(workflows.failed_runs) as runs,
       f.tells and not old.failure_told as tells`,
    { run, workflow: parsePublicId('workflow', operation.workflow.id), most: MAX_FAILED_RUNS },
  )
  if (row?.tells && row.if_not) await tellFailure(tx, operation, { ...row, if_not: row.if_not })
}

/** @param worked whether it changed files: a run without any says nothing about the workflow */
async function noteSuccess(
  tx: ShopScope,
  operation: OperationRow,
  run: string,
  worked: boolean,
): Promise<void> {
  const { id, kind, round, workflow } = operation
  const row = await tx.first<NotedRow & { ended: boolean }>(
    `update workflows set failed_runs = f.left,
       failing_since = case when f.left <> '{}' then failing_since end,
       failure_told = failure_told and f.left <> '{}'
     from (select id, case when :run = any(failed_runs) then array_remove(failed_runs, :run::uuid)
         when :worked then '{}' else failed_runs end as left
       from workflows where shop_id = :shop and id = :workflow) f
     where workflows.shop_id = :shop and workflows.id = f.id and workflows.failing_since is not null
     returning name, if_not, old.failing_since as since, 0 as runs, f.left = '{}' as ended,
       old.failure_told and coalesce((if_not ->> 'on_recovery')::boolean, false) as tells`,
    { run, worked, workflow: parsePublicId('workflow', workflow.id) },
  )
  if (!row?.ended || !row.since) return
  await raiseEvent(tx, workflowRecovered, {
    key: `${id}/${round}`,
    data: {
      operation_id: toOperationId(kind, id),
      workflow_id: workflow.id,
      failing_since: row.since.toISOString(),
    },
  })
  if (row.tells && row.if_not) await tellRecovery(tx, operation, { ...row, if_not: row.if_not })
}

// What the shop is told: a notice, and a mail to those whom the workflow names.

/** The failed files that a mail names. */
const MAX_LISTED = 10

type Told = Omit<NotedRow, 'if_not'> & { if_not: IfNot }

async function tellFailure(
  tx: ShopScope,
  operation: OperationRow,
  { name, runs, if_not: ifNot, since }: Told,
): Promise<void> {
  const title = say(
    '“{name}” fails: {count, plural, one {a run ended with failed files} other {# runs in a row ended with failed files}}',
    { name, count: runs },
  )
  const next = await nextOf(tx, operation, ifNot)
  const headline =
    operation.failed > 0
      ? say(
          '{count, plural, one {One file failed} other {# files failed}} in its last run, of {total}.',
          { count: operation.failed, total: operation.total },
        )
      : say('Its last run could not be carried out.')
  await raiseNotice(tx, {
    level: 'critical',
    title,
    body: sentences(headline, ...next),
    operation_id: operation.id,
  })
  await queueTold(tx, operation, ifNot, {
    key: `failing/${operation.workflow.id}/${since?.getTime()}`,
    data: { title, headline, failures: await failuresOf(tx, operation), next },
  })
}

/** What follows the failure, as sentences. */
async function nextOf(
  tx: ShopScope,
  { status, workflow }: OperationRow,
  { again, run, on_recovery: onRecovery }: IfNot,
): Promise<Text[]> {
  const other =
    run === null
      ? null
      : await tx.first<{ name: string }>(
          'select name from workflows where shop_id = :shop and id = :id',
          { id: parsePublicId('workflow', run) },
        )
  // A question that could not be previewed has no files to try again.
  const tries = status !== 'previewing' && again.length > 0
  return [
    ...(tries
      ? [say('The failed files are tried again after {times}.', { times: again.join(', ') })]
      : [say('Look at what failed, and try the files again.')]),
    ...(other && status !== 'previewing'
      ? [say('“{name}” runs on those that still fail then.', { name: other.name })]
      : []),
    ...(onRecovery
      ? [say('You are told when “{name}” works again.', { name: workflow.title })]
      : []),
  ]
}

async function failuresOf(tx: ShopScope, { id, failed, ledger }: OperationRow) {
  const listed: { filename: string; message: Text }[] = []
  if (ledger && failed > 0)
    pages: for await (const items of reportedItems(tx, id, { unmapped: false, brought: false }))
      for (const { filename, status, error } of items) {
        if (status !== 'failed') continue
        listed.push({ filename, message: textOf(error?.message ?? UNKNOWN) })
        if (listed.length === MAX_LISTED) break pages
      }
  return { listed, more: failed - listed.length }
}

const UNKNOWN = say('It failed for an unknown reason')

async function tellRecovery(
  tx: ShopScope,
  operation: OperationRow,
  { name, if_not: ifNot, since }: Told,
): Promise<void> {
  const title = say('“{name}” works again', { name })
  const headline = say('A run ended without failed files.')
  await raiseNotice(tx, { level: 'success', title, body: headline, operation_id: operation.id })
  await queueTold(tx, operation, ifNot, {
    key: `recovered/${operation.workflow.id}/${since?.getTime()}`,
    data: { title, headline, failures: { listed: [], more: 0 }, next: [] },
  })
}

/** Queues the mail, once for its key. */
async function queueTold(
  tx: ShopScope,
  { id, kind }: OperationRow,
  { mail }: IfNot,
  { key, data }: { key: string; data: Record<string, unknown> },
): Promise<void> {
  if (mail === false) return
  const { name, settings } = await readShop(tx)
  if (mail === true && settings.recipients.length === 0) return
  const payload: MailPayload = {
    template: 'workflow-failing',
    data: { ...data, id: toOperationId(kind, id), shop: { name }, named: mail !== true },
    ...(mail === true ? {} : { to: mail }),
  }
  const [row] = (await tx
    .insert('outbox', { key, kind: 'email', payload: JSON.stringify(payload), operation_id: id })
    .onConflict()
    .ignore()
    .returning('id')) as { id: string }[]
  if (row) await queueMessage(tx, row.id)
}
