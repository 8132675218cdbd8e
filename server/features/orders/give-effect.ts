// Files for past buyers, which steps ask for: given with the file's outcome, and withdrawn by an
// undo.
import type { GiveRequest } from '../../../plugins/contract.ts'
import { firstOf, lastOf } from '../../core/present.ts'
import type { Secrets } from '../../core/secrets.ts'
import { defineEffect, type EffectRequest } from '../../engine/effect.ts'
import { dropAddedMails, queueDeliveryMails } from '../messages/delivery-mail.ts'
import { promiseMails } from '../preparation/runs.ts'
import { giveFiles, takeBackFiles, type GivenFile } from './give-files.ts'
import { forgetNewFiles, noteAgain } from './new-files.ts'
import { countPastBuyersByFile, type WantedFiles } from './past-buyers.ts'

type Request = EffectRequest<GiveRequest>

/** What an outcome stores for the undo: the operation's UUID and the file's. */
interface GivenRow {
  operation: string
  file: string
  /** The products about whose new file the shop was asked. */
  asked?: string[]
}

export const giveEffect = (secrets: Secrets) =>
  defineEffect({
    name: 'give',
    write: async (tx, { id: operation }, requests) => {
      const now = new Date()
      const given: GivenFile[] = []
      const asked = new Map<string, string[]>()
      for (const [{ send, per_hour }, wanted] of groupsOf(requests)) {
        const some = await giveFiles(tx, operation, wanted, { secrets, now, quiet: !send })
        const mailed = send ? some.filter(({ email }) => email !== null) : []
        const buyers = [...new Set(mailed.map(({ delivery }) => delivery))]
        await queueDeliveryMails(tx, buyers, { about: 'added', operation, perHour: per_hour })
        await promiseMails(tx, buyers)
        for (const { file_id, product_id } of await forgetNewFiles(tx, wanted))
          asked.set(file_id, [...(asked.get(file_id) ?? []), product_id])
        given.push(...some)
      }
      const byFile = Map.groupBy(given, ({ file }) => file)
      return new Map(
        requests.flatMap(({ item, file }) => {
          const some = byFile.get(file)
          const give: GivenRow = { operation, file, asked: asked.get(file) ?? [] }
          return some ? [[item, { give, ...countsOf(some) }]] : []
        }),
      )
    },
    preview: async (tx, requests) => {
      const records = new Map<Request['item'], Record<string, unknown>>()
      for (const [, wanted, of] of groupsOf(requests)) {
        const counts = await countPastBuyersByFile(tx, wanted)
        for (const { item, file } of of) {
          const count = counts.get(file)
          if (count) records.set(item, { ...count })
        }
      }
      return records
    },
    undo: async (tx, recorded) => {
      const given = recorded.filter(isGiven)
      for (const [operation, of] of Map.groupBy(given, (one) => one.operation)) {
        await takeBackFiles(
          tx,
          operation,
          of.map(({ file }) => file),
          new Date(),
        )
        await dropAddedMails(tx, operation)
      }
      await noteAgain(
        tx,
        given.flatMap(({ file, asked = [] }) =>
          asked.map((product_id) => ({ product_id, file_id: file })),
        ),
      )
    },
  })

const isGiven = (value: unknown): value is GivenRow =>
  typeof value === 'object' && value !== null && 'operation' in value && 'file' in value

/** Requests with equal options; the last step of an item decides. */
function groupsOf(requests: readonly Request[]): [GiveRequest, WantedFiles, readonly Request[]][] {
  const wanted = requests.map((request) => ({ request, value: lastOf(request.values) }))
  const groups = Map.groupBy(wanted, ({ value }) =>
    [value.send, value.per_hour, value.product_id].join(),
  )
  return [...groups.values()].map((group) => {
    const { value } = firstOf(group)
    const of = group.map(({ request }) => request)
    return [value, { files: of.map(({ file }) => file), product: value.product_id }, of]
  })
}

const countsOf = (given: readonly GivenFile[]): { orders: number; buyers: number } => ({
  orders: given.length,
  buyers: new Set(given.map(({ email, delivery }) => email?.toLowerCase() ?? delivery)).size,
})
