// Files that a step only sends to a program: one message for the files of a group, in the transaction
// of their outcomes, so that each is sent once. An undo takes no message back.
import type { PostRequest } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId, toOperationId } from '../../core/ids.ts'
import type { WebhookPayload } from '../../core/outbox/webhook-events.ts'
import { queuePromptMessages } from '../../core/queue/queue.ts'
import type { Secrets } from '../../core/secrets.ts'
import {
  defineEffect,
  type EffectProblem,
  type EffectRecords,
  type EffectRequest,
} from '../../engine/effect.ts'
import { viewOfItem } from '../../engine/item-work.ts'
import type { OperationRow } from '../../engine/types.ts'
import { addressesOf } from './bytes.ts'
import { WEBHOOK_DELETED, WEBHOOK_OFF } from './port.ts'
import {
  CALL_EVENT,
  callId,
  describeFile,
  partsOfCall,
  withAddress,
  type CallData,
} from './request.ts'

type Request = EffectRequest<PostRequest>

interface PostParts {
  secrets: Secrets
  baseUrl: string
}

export const postEffect = (parts: PostParts) =>
  defineEffect({
    name: 'post',
    prepare: async (tx, _operation, requests) => {
      const problems = await problemsOf(tx, requests)
      return new Map(
        requests.flatMap(({ item, values }) => {
          const problem = values.flatMap(({ webhook }) => problems.get(webhook) ?? [])[0]
          return problem ? [[item, { problem }]] : []
        }),
      )
    },
    write: async (tx, operation, requests) => {
      for (const [request, of] of groupsOf(requests))
        await post(tx, operation, { request, of }, parts)
      return recordsOf(requests)
    },
    preview: (_tx, requests) => Promise.resolve(recordsOf(requests)),
  })

const recordsOf = (requests: readonly Request[]): EffectRecords =>
  new Map(requests.map(({ item, values }) => [item, { posted: values.length }]))

/** The webhooks that get nothing, with the reason. */
async function problemsOf(
  tx: ShopScope,
  requests: readonly Request[],
): Promise<ReadonlyMap<string, EffectProblem>> {
  const webhooks = [
    ...new Set(requests.flatMap(({ values }) => values.map(({ webhook }) => webhook))),
  ]
  const rows = await tx.query<{ id: string; enabled: boolean }>(
    'select id, enabled from webhook_endpoints where shop_id = :shop and id = any(:ids::uuid[])',
    { ids: webhooks.flatMap((one) => parsePublicId('webhook', one) ?? []) },
  )
  const enabled = new Map(rows.map((row) => [row.id, row.enabled]))
  return new Map(
    webhooks.flatMap((webhook): [string, EffectProblem][] => {
      const found = enabled.get(parsePublicId('webhook', webhook) ?? '')
      if (found) return []
      const message = found === undefined ? WEBHOOK_DELETED : WEBHOOK_OFF
      return [[webhook, { code: 'program_failed', message }]]
    }),
  )
}

/** The files of each message: a workflow may send a file several times. */
function groupsOf(requests: readonly Request[]): [PostRequest, Request[]][] {
  const all = requests.flatMap((request) =>
    request.values.map((value, at) => ({ request, value, at })),
  )
  const groups = Map.groupBy(all, ({ value, at }) => JSON.stringify([at, value]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [[first.value, group.map(({ request }) => request)]] : []
  })
}

async function post(
  tx: ShopScope,
  operation: Pick<OperationRow, 'id' | 'kind'>,
  { request: { webhook, bytes }, of }: { request: PostRequest; of: readonly Request[] },
  parts: PostParts,
): Promise<void> {
  const items = of.map(({ item, file }) => {
    const view = viewOfItem(item)
    return { ...view, file: { ...view.file, id: file } }
  })
  const id = toOperationId(operation.kind, operation.id)
  const context = { operation: id, dryRun: false, webhook }
  const addresses = bytes ? await addressesOf(tx, items, parts, new Date()) : null
  const files = items.map((item) =>
    withAddress(describeFile(item, context), addresses?.get(item.id)),
  )
  for (const part of partsOfCall(files)) {
    const data: CallData = {
      operation_id: id,
      dry_run: false,
      answer: false,
      files: part,
    }
    const rows = await tx.query<{ id: string }>(
      `insert into outbox (shop_id, key, kind, payload, operation_id, webhook_id)
       values (:shop, :key, 'webhook', :payload, :operation, :webhook)
       on conflict do nothing returning id`,
      {
        key: `webhook/${webhook}/${callId(part)}/${operation.id}`,
        payload: JSON.stringify({ type: CALL_EVENT.name, data } satisfies WebhookPayload),
        operation: operation.id,
        webhook: parsePublicId('webhook', webhook),
      },
    )
    await queuePromptMessages(
      tx,
      rows.map(({ id }) => id),
    )
  }
}
