// Files for past buyers, which steps ask for: given with the file's outcome, and withdrawn by an
// undo.
import type { GiveRequest } from '../../../plugins/contract/index.ts'
import { firstOf, lastOf } from '../../core/lazy.ts'
import type { Secrets } from '../../core/secrets.ts'
import { defineEffect, type EffectRequest } from '../../engine/effect.ts'
import type { Bindings, ShopScope } from '../../core/db/for-shop.ts'
import { readShop } from '../../files/shop-settings.ts'
import { dropAddedMails, queueDeliveryMails } from './delivery-mail.ts'
import { promiseMails, repeatPreparation, readPreparations } from '../preparation/runs.ts'
import {
  forgetNewFiles,
  noteAgain,
  countPastBuyersByFile,
  type WantedFiles,
  filesLacking,
  ordersLacking,
} from './new-files.ts'
import {
  addDeliveryFiles,
  createDeliveries,
  lockDeliveries,
  readFilesOf,
  setRevoked,
  writeState,
  type AddedFiles,
  type DeliveryRow,
} from './delivery-rows.ts'
import { queueEffects } from './effects.ts'
import { queueFollowUps, type FollowedDelivery } from './follow-ups.ts'
import { lockOrders, type SoldFile } from './order-rows.ts'
import { ordersWorkflow } from '../workflows/find.ts'
import { prepareFiles, returnKeys, workflowHolds } from './preparation.ts'

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

// Gives files to past buyers, and takes back what an operation gave. Orders are locked in the order
// in which reconciliation locks them, and what is missing is read under the lock: two workers, or a
// refund meanwhile, give nothing twice and nothing to a refunded line.

type DeliveredFiles = ReadonlyMap<string, Awaited<ReturnType<typeof readFilesOf>>>

interface GivenFile {
  delivery: string
  /** The buyer's address, or null. */
  email: string | null
  file: string
}

/**
 * Gives the files to everybody who lacks them; returns what was given, each once.
 * @param quiet nobody is told, by the platform either.
 */
async function giveFiles(
  tx: ShopScope,
  operation: string,
  wanted: WantedFiles,
  { secrets, now, quiet }: { secrets: Secrets; now: Date; quiet: boolean },
): Promise<GivenFile[]> {
  const orders = await ordersLacking(tx, wanted)
  if (orders.length === 0) return []
  await lockOrders(tx, orders)
  const missing = Map.groupBy(await filesLacking(tx, wanted, orders), (one) => one.order_id)
  if (missing.size === 0) return []
  // An order whose products had no file has no delivery yet.
  await createDeliveries(tx, secrets, [...missing.keys()], { now })
  const rows = await lockDeliveries(tx, [...missing.keys()])
  const { settings } = await readShop(tx)
  const added = [...rows.values()].map((delivery) => ({
    delivery,
    perUnit: settings.multiply_limits,
    sold: missing.get(delivery.order_id) ?? [],
  }))
  await giveToDeliveries(tx, added, operation, { secrets, now, quiet })
  return added.flatMap(({ delivery, sold }) =>
    filesOf(sold).map((file) => ({ delivery: delivery.id, email: delivery.email, file })),
  )
}

/**
 * Gives files to locked deliveries; the caller tells their buyers.
 * @param by `given_by` of the files
 * @param quiet nobody is told, by the platform either.
 */
export async function giveToDeliveries(
  tx: ShopScope,
  added: readonly AddedFiles[],
  by: string,
  { secrets, now, quiet }: { secrets: Secrets; now: Date; quiet: boolean },
): Promise<void> {
  const workflow = await ordersWorkflow(tx)
  await addDeliveryFiles(tx, secrets, added, now, by)
  if (workflow !== null)
    for (const { delivery } of added) await prepareFiles(tx, delivery, workflow)
  const rows = added.map(({ delivery }) => delivery)
  const mailed = await withoutFirstMessage(tx, rows, quiet)
  await follow(tx, mailed, await filesByDelivery(tx, mailed), now, quiet)
}

/** The caller decides whether buyers get a message: it is no first one about the order. */
async function withoutFirstMessage(
  tx: ShopScope,
  rows: readonly DeliveryRow[],
  quiet: boolean,
): Promise<DeliveryRow[]> {
  const untold = rows.filter(
    ({ email, has_phone, held_by, mailed_at, texted_at }) =>
      held_by === null &&
      (email === null ? quiet && has_phone && texted_at === null : mailed_at === null),
  )
  const noted = await tx.query<Pick<DeliveryRow, 'id' | 'mailed_at' | 'texted_at'>>(
    `update deliveries d set mailed_at = case when g.mailed then now() else d.mailed_at end,
       texted_at = case when g.mailed then d.texted_at else now() end
     from unnest(:ids::uuid[], :mailed::boolean[]) as g (id, mailed)
     where d.shop_id = :shop and d.id = g.id returning d.id, d.mailed_at, d.texted_at`,
    { ids: untold.map(({ id }) => id), mailed: untold.map(({ email }) => email !== null) },
  )
  const times = new Map(noted.map((one) => [one.id, one]))
  return rows.map((row) => ({ ...row, ...times.get(row.id) }))
}

const filesOf = (sold: readonly SoldFile[]): string[] => [
  ...new Set(sold.map(({ file_id }) => file_id)),
]

/**
 * Withdraws what the operation gave of these files, unless another line of the order gives the file
 * to its buyer too. Giving it again is possible.
 */
const takeBackFiles = (
  tx: ShopScope,
  operation: string,
  files: readonly string[],
  now: Date,
): Promise<void> =>
  takeBack(
    tx,
    { sql: 'given_by = :operation and file_id = any(:files::uuid[])', given: { operation, files } },
    now,
  )

/** Withdraws the rows of `delivery_files` that this selects, as `takeBackFiles` does. */
export async function takeBack(
  tx: ShopScope,
  { sql, given }: { sql: string; given: Bindings },
  now: Date,
): Promise<void> {
  const which = `shop_id = :shop and ${sql} and not taken_back`
  const orders = await tx.query<{ order_id: string }>(
    `select distinct order_id from deliveries where shop_id = :shop
       and id in (select delivery_id from delivery_files where ${which})`,
    given,
  )
  const ids = orders.map(({ order_id }) => order_id)
  if (ids.length === 0) return
  await lockOrders(tx, ids)
  const rows = [...(await lockDeliveries(tx, ids)).values()]
  const taken = await tx.query<{ delivery_id: string; file_id: string }>(
    `update delivery_files set taken_back = true, withdrawn = true where ${which}
     returning delivery_id, file_id`,
    given,
  )
  const left = await filesByDelivery(tx, rows)
  await revokeTaken(tx, rows, left, taken, now)
  const prepared = await readPreparations(
    tx,
    rows.map(({ id }) => id),
  )
  for (const row of rows.filter(({ id }) => prepared.has(id))) {
    await prepareFiles(tx, row)
    await repeatPreparation(tx, row.id)
  }
  await returnKeys(tx, [...prepared.keys()])
  await follow(tx, rows, left, now)
}

/** By delivery. */
const filesByDelivery = async (
  tx: ShopScope,
  rows: readonly DeliveryRow[],
): Promise<DeliveredFiles> =>
  Map.groupBy(
    await readFilesOf(
      tx,
      rows.map(({ id }) => id),
    ),
    ({ delivery_id }) => delivery_id,
  )

/** Revokes the links of files that no other line gives. */
async function revokeTaken(
  tx: ShopScope,
  rows: readonly DeliveryRow[],
  left: DeliveredFiles,
  taken: readonly { delivery_id: string; file_id: string }[],
  now: Date,
): Promise<void> {
  const kept = new Set(
    [...left.values()]
      .flat()
      .filter(({ withdrawn }) => !withdrawn)
      .map((one) => `${one.delivery_id}/${one.file_id}`),
  )
  const lost = Map.groupBy(
    taken.filter((one) => !kept.has(`${one.delivery_id}/${one.file_id}`)),
    ({ delivery_id }) => delivery_id,
  )
  for (const row of rows)
    await setRevoked(
      tx,
      row.link_id,
      (lost.get(row.id) ?? []).map(({ file_id }) => file_id),
      now,
    )
}

/** Updates the deliveries' states to their files, and what the platform's orders show. */
async function follow(
  tx: ShopScope,
  rows: readonly DeliveryRow[],
  files: DeliveredFiles,
  now: Date,
  quiet = false,
): Promise<void> {
  const holdOf = await workflowHolds(
    tx,
    rows.map(({ id }) => id),
  )
  const written: FollowedDelivery[] = []
  for (const row of rows) {
    const own = files.get(row.id) ?? []
    const withdrawn_at = own.some(({ entitled }) => entitled) ? null : (row.withdrawn_at ?? now)
    const held_by =
      row.held_by === null || row.held_by === 'workflow' ? holdOf(row.id) : row.held_by
    written.push({
      row: await writeState(tx, row, { ...row, withdrawn_at, held_by }, now),
      files: own,
    })
  }
  await queueFollowUps(tx, written, quiet)
  // The number of files has changed, also where their lines have not.
  await queueEffects(
    tx,
    rows.map(({ order_id }) => ({ order: order_id, kind: 'mark' })),
  )
}
