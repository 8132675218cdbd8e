// Results of a last step: messages, a document, files. All are written in the transaction that
// marks the step as ended, so that a second run sends nothing twice.
import { Readable } from 'node:stream'
import {
  type Documents,
  type Notifier,
  type OperationContext,
  type OperationPlugin,
  type OperationReport,
  type StagedBlob,
  type Warning,
  PortError,
  say,
} from '../../plugins/contract/index.ts'
import { storedMessage, storedWarning } from '../core/texts.ts'
import { lockUntilCommit, type ShopScope } from '../core/db/for-shop.ts'
import { lazy } from '../core/lazy.ts'
import { holdBlobs, noteRefused } from '../files/blobs.ts'
import { locateArtifact } from '../files/artifacts.ts'
import { draftFrom } from '../files/drafts.ts'
import { copyOf } from '../files/admission.ts'
import {
  refusedByQuota,
  type QuotaRefusal,
  type QuotaRequest,
  type ShopQuotas,
} from '../files/quotas.ts'
import { readShop } from '../files/shop-settings.ts'
import { FINISH_CHAIN, queueMessage } from '../core/queue/queue.ts'
import type { EngineRunner } from './runner.ts'
import { admitCreated } from './created-files.ts'
import { holdStatus, type Finalization } from './finish-lease.ts'
import { holdLease } from './chain.ts'
import type { OperationRow, ResolvedStep } from './types.ts'
import type { Notice } from './parts.ts'

type Email = Parameters<Notifier['email']>[0]
type Sending = Parameters<Documents['send']>[0]
type Artifact = StagedBlob & { filename: string }
export type LastStep = ResolvedStep<OperationPlugin>

/**
 * Collects a step's results, which take effect when the step ends, and gives the step its ports.
 */
export function openResults({ plugin, pluginImpl }: LastStep) {
  const kept = {
    emails: [] as Email[],
    notices: [] as Notice[],
    sms: null as string | null,
    documents: [] as Sending[],
    artifact: null as Artifact | null,
    leftOut: 0,
  }
  const notify: Notifier = {
    email: (email) => kept.emails.push(email),
    notice: (notice) => kept.notices.push(notice),
    sms: (text) => {
      kept.sms = text
    },
  }
  return {
    kept,
    ports: (
      runner: EngineRunner,
      { scope, operation, signal }: Finalization,
    ): Pick<OperationContext, 'notify' | 'artifacts' | 'documents' | 'listings' | 'progress'> =>
      lazy({
        notify: () => notify,
        progress: () => ({
          show: (done, total) => showProgress(runner, scope, operation, done, total),
        }),
        artifacts: () => ({
          write: async (filename, contentType, bytes) => {
            if (!pluginImpl.document)
              throw new Error(
                `${plugin} writes a document but does not declare it (document: true)`,
              )
            // Before its size is known: a shop that has no room left writes no bytes either.
            const refusal = await scope.transaction((tx) =>
              refusedBytes(tx, { bytes: 1 }, runner.parts.limits),
            )
            if (refusal) throw new PortError(refusal.code, refusal.message, false)
            const { stage } = await runner.parts.ports(scope)
            kept.artifact = {
              filename,
              ...(await stage.write(Readable.from(bytes), contentType, signal)),
            }
          },
        }),
        documents: () => ({
          connection: (id) => runner.parts.messages.connection(scope, id),
          written: () => locateArtifact(scope, operation.id),
          send: (to) => kept.documents.push(to),
        }),
        listings: () =>
          runner.parts.listings(scope, operation.id, (seen, written) => {
            kept.leftOut = seen - written
            countSeen(runner, scope, operation, seen)
          }),
      }),
  }
}

/** The total is known only to the step: at its end, this many are done. */
async function showProgress(
  runner: EngineRunner,
  scope: ShopScope,
  operation: OperationRow,
  done: number,
  total: number,
): Promise<void> {
  const { id, ledger } = operation
  if (ledger) return
  operation.total = total
  await scope.query(
    `update operations set total = :total, done = least(:total::int, :done) where shop_id = :shop
       and id = :id and status = 'running'`,
    { id, done, total },
  )
  runner.progress.announce(scope.shop, id)
}

/** Shows the progress of a step in an operation without a ledger. */
function countSeen(
  runner: EngineRunner,
  scope: ShopScope,
  { id, ledger }: OperationRow,
  done: number,
): void {
  if (ledger) return
  scope
    .query(
      `update operations set done = least(total, :done) where shop_id = :shop and id = :id
         and status = 'running'`,
      { id, done },
    )
    .then(() => runner.progress.announce(scope.shop, id))
    // An intermediate count may be lost: the step's end writes the final one.
    .catch(() => {})
}

export interface EndedStep {
  index: number
  step: LastStep
  results: ReturnType<typeof openResults>
  report: OperationReport | null
}

/**
 * Writes a step's results and marks it as ended.
 * @throws `Interruption` and `LeaseLost`; then nothing is written
 */
export function endStep(
  { parts: { limits, messages } }: EngineRunner,
  { scope, operation, lease }: Finalization,
  { index, step, results: { kept }, report }: EndedStep,
): Promise<void> {
  const { warnings = [], created = [] } = report ?? {}
  return scope.transaction(async (tx) => {
    await holdLease(tx, operation.id, FINISH_CHAIN, lease)
    await holdStatus(tx, operation, ['running', 'paused'])
    const unsent = await queueEmails(tx, operation, index, kept.emails)
    for (const notice of kept.notices) await messages.notice(tx, operation.id, notice)
    if (kept.sms !== null) await messages.sms(tx, operation.id, kept.sms)
    for (const [at, to] of kept.documents.entries()) {
      const key = `${operation.round}/${index}/${at}`
      await messages.document(tx, { operation: operation.id, key }, to)
    }
    if (kept.artifact && report) {
      const refused = await keepArtifact(tx, operation.id, kept.artifact, limits)
      if (refused) operation.stopped = { step: step.id, ...refused }
    }
    if (created.length > 0) {
      const { settings } = await readShop(tx)
      const model = draftFrom({ filename: operation.workflow.title }, settings)
      const made = await admitCreated(tx, operation, -1 - index, created, model, limits)
      if ('code' in made)
        operation.stopped = { step: step.id, code: made.code, ...storedMessage(made.message) }
    }
    const left = report ? kept.leftOut : 0
    if (!operation.ledger) operation.skipped += left
    await recordStep(tx, operation, index, [
      ...warnings,
      ...(left > 0 ? [leftOut(left)] : []),
      ...(unsent > 0 ? [notSent(unsent)] : []),
    ])
  })
}

const leftOut = (count: number): Warning => ({
  code: 'file_not_found',
  message: say(
    '{count, plural, one {# file was left out: it is in the trash or was deleted} other {# files were left out: they are in the trash or were deleted}}',
    { count },
  ),
})

const notSent = (count: number): Warning => ({
  code: 'mail_limit',
  message: say(
    '{count, plural, one {One email was} other {# emails were}} not sent: the workflows of a shop send so many within 24 hours at most',
    { count },
  ),
})

async function recordStep(
  tx: ShopScope,
  operation: OperationRow,
  step: number,
  warnings: readonly Warning[],
) {
  await tx.query(
    `update operations set finished_steps = :ended, warnings = warnings || :warnings::jsonb,
       stopped = :stopped::jsonb, skipped = case when ledger then skipped else :skipped end
     where shop_id = :shop and id = :operation`,
    {
      operation: operation.id,
      ended: step + 1,
      skipped: operation.skipped,
      warnings: JSON.stringify(warnings.map((warning) => ({ ...storedWarning(warning), step }))),
      stopped: operation.stopped && JSON.stringify(operation.stopped),
    },
  )
}

/** Returns the number of mails that are above their limit, and not sent. */
async function queueEmails(
  tx: ShopScope,
  operation: OperationRow,
  index: number,
  emails: readonly Email[],
): Promise<number> {
  const room = await roomForMails(tx, emails)
  for (const [at, email] of emails.slice(0, room).map(withoutLimit).entries()) {
    const key = `${operation.id}/${operation.round}/${index}/${at}`
    const payload = JSON.stringify(email)
    const [row] = (await tx
      .insert('outbox', { key, kind: 'email', payload, operation_id: operation.id })
      .onConflict()
      .ignore()
      .returning('id')) as { id: string }[]
    if (row) await queueMessage(tx, row.id)
  }
  return Math.max(0, emails.length - room)
}

const withoutLimit = ({ most: _, ...email }: Email) => email

/** How many of a step's mails the limit of their template leaves. */
async function roomForMails(tx: ShopScope, [first]: readonly Email[]): Promise<number> {
  if (first?.most === undefined) return Infinity
  // An advisory lock: a limit counts rows, and concurrent ends must count each other's mails.
  await lockUntilCommit(tx, `mails ${first.template}`)
  const { sent } = await tx.one<{ sent: number }>(
    `select count(*)::int as sent from outbox where shop_id = :shop
       and id >= uuidv7(interval '-24 hours') and kind = 'email'
       and payload ->> 'template' = :template`,
    { template: first.template },
  )
  return Math.max(0, first.most - sent)
}

/** The quota that refuses a document of these bytes; null: none. */
async function refusedBytes(
  tx: ShopScope,
  bytes: Pick<QuotaRequest, 'bytes' | 'copy'>,
  limits: Partial<ShopQuotas>,
): Promise<QuotaRefusal | null> {
  const wanted = { newName: null, overwrites: false, ...bytes }
  const [refusal] = await refusedByQuota(tx, [wanted], limits)
  return refusal ?? null
}

/** Returns null, or the quota of the shop that refuses the document. */
async function keepArtifact(
  tx: ShopScope,
  operation: string,
  artifact: Artifact,
  limits: Partial<ShopQuotas>,
): Promise<({ code: string } & ReturnType<typeof storedMessage>) | null> {
  const refusal = await refusedBytes(tx, copyOf(artifact), limits)
  if (refusal) {
    await noteRefused(tx, [artifact])
    return { code: refusal.code, ...storedMessage(refusal.message) }
  }
  await holdBlobs(tx, [artifact])
  await tx.query(
    `insert into artifacts (shop_id, operation_id, hash, location, filename, content_type,
       size_bytes)
     select :shop, :operation, decode(:hash, 'hex'), :location, :filename, :content_type,
       :size_bytes
     on conflict (shop_id, operation_id) do update set hash = excluded.hash,
       location = excluded.location,
       filename = excluded.filename, content_type = excluded.content_type,
       size_bytes = excluded.size_bytes`,
    { operation, ...artifact },
  )
  return null
}
