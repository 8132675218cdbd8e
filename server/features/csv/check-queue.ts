// The queue of checks: a merchant adds a file or removes it, and a background task checks each one.
// The checks of one shop run one after another, in the order of the requests, so that its slow
// hosts delay no other shop.
import { createHash } from 'node:crypto'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { forgetAttempts, queueTask, type TaskKind } from '../../core/queue/background.ts'
import { requireOpen, requireUpload, type CheckOptions, type CsvUpload } from './uploads.ts'
import type { AddressMemory, OddSkus } from './check-state.ts'
import type { AddressProblem } from './probes.ts'

export const CHECK_CSV: TaskKind = { name: 'check-csv', onePerShop: true }
/** The check of corrected rows: it does not wait for the checks of other files. */
export const RECHECK_CSV: TaskKind = { name: 'recheck-csv', onePerShop: true }

/** SQL: the files that wait for a check or are being checked. */
export const QUEUED_CHECKS = `
  select shop_id, id::text as key, now() as due_at from csv_uploads where status = 'checking' and recheck is null
    order by queued_at`
export const QUEUED_RECHECKS = `
  select shop_id, id::text as key, now() as due_at from csv_uploads where status = 'checking'
    and recheck is not null order by queued_at`

/**
 * Queues the file for a check, with the headers of the check before if `headers_sealed` is absent. Throws
 * `conflict` if its import has started.
 */
export async function queueCheck(
  scope: ShopScope,
  id: string,
  options: CheckOptions,
): Promise<void> {
  await scope.transaction(async (tx) => {
    const { check_options: before } = await requireOpen(tx, id)
    const kept = before?.headers_sealed
    const given = { ...(kept ? { headers_sealed: kept } : {}), ...options }
    await tx.query(
      `update csv_uploads set status = 'checking', round = round + 1, check_options = :options,
         progress = null, failure = null, recheck = null, queued_at = now()
       where shop_id = :shop and id = :id`,
      { id, options: JSON.stringify(given) },
    )
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
    await forgetAnswers(tx, id)
    await forgetAttempts(tx, CHECK_CSV, id)
    await queueTask(tx, CHECK_CSV, id)
  })
}

/**
 * Queues the check of a checked file whose rows were corrected. It uses the answers of the earlier
 * checks, whose problems are listed until it ends. A file that was not checked stays unchecked.
 */
export async function queueRecheck(
  tx: ShopScope,
  { id, status }: Pick<CsvUpload, 'id' | 'status'>,
): Promise<void> {
  if (status === 'ready') return
  await tx.query(
    `update csv_uploads set status = 'checking', round = round + 1, failure = null, recheck = '{}',
       checked_round = case when recheck is null then round else checked_round end,
       queued_at = now()
     where shop_id = :shop and id = :id`,
    { id },
  )
  await forgetAttempts(tx, RECHECK_CSV, id)
  await queueTask(tx, RECHECK_CSV, id)
}

/**
 * Removes the file from the queue; a worker that is checking it notices when it next writes its
 * progress. Idempotent: a file that is not being checked is unchanged. Throws `conflict` if its
 * import has started.
 */
export async function stopCheck(scope: ShopScope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const { status } = await requireOpen(tx, id)
    if (status !== 'checking') return
    await tx.query(
      `update csv_uploads set status = 'ready', round = round + 1, check_options = null,
         progress = null, failure = null, recheck = null
       where shop_id = :shop and id = :id`,
      { id },
    )
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
  })
}

/**
 * Starts a new round, so that a run that was taken over writes nothing. Null: the file is not
 * queued any more.
 */
export async function beginCheck(
  scope: ShopScope,
  id: string,
  { name }: TaskKind,
): Promise<CsvUpload | null> {
  const isQueued = await scope.has(
    `update csv_uploads set round = round + 1 where shop_id = :shop and id = :id
       and status = 'checking' and recheck is ${name === RECHECK_CSV.name ? 'not null' : 'null'}
     returning id`,
    { id },
  )
  return isQueued ? requireUpload(scope, id) : null
}

// What addresses and SKUs answered in earlier checks of a file: a check of corrected rows requests
// only what is new.

const HASH_CHARACTERS = 22
const BATCH = 2000

const hashOf = (url: string): string =>
  createHash('sha256').update(url).digest('base64url').slice(0, HASH_CHARACTERS)

/** The answers of a file. Must be flushed at the end of a check, also of one that was stopped. */
export class AnswerMemory implements AddressMemory {
  readonly #scope: ShopScope
  readonly #id: string
  readonly #addresses = new Map<string, AddressProblem>()
  /** The number of products for each SKU. */
  readonly #skus = new Map<string, number>()
  #newAddresses: [hash: string, problem: AddressProblem][] = []
  #newSkus: [sku: string, products: number][] = []

  private constructor(scope: ShopScope, id: string) {
    this.#scope = scope
    this.#id = id
  }

  /** Reads the answers of earlier checks. */
  static async open(scope: ShopScope, id: string): Promise<AnswerMemory> {
    const memory = new AnswerMemory(scope, id)
    const rows = await scope.query<StoredAnswers>(
      'select kind, answers from csv_answers where shop_id = :shop and csv_id = :id order by id',
      { id },
    )
    for (const row of rows)
      if (row.kind === 'address')
        for (const [hash, problem] of row.answers) memory.#addresses.set(hash, problem)
      else for (const [sku, products] of row.answers) memory.#skus.set(sku, products)
    return memory
  }

  /** The earlier answer of an address; undefined: it was not requested. */
  address(url: string): AddressProblem | undefined {
    return this.#addresses.get(hashOf(url))
  }

  async addAddress(url: string, problem: AddressProblem): Promise<void> {
    this.#newAddresses.push([hashOf(url), problem])
    if (this.#newAddresses.length >= BATCH) await this.flush()
  }

  /** Looks up only SKUs that have no earlier answer. */
  remembering(oddSkus: OddSkus): OddSkus {
    return async (skus, signal) => {
      const unknown = skus.filter((sku) => !this.#skus.has(sku))
      const found = unknown.length > 0 ? await oddSkus(unknown, signal) : new Map<string, number>()
      for (const sku of unknown) {
        const products = found.get(sku) ?? 1
        this.#skus.set(sku, products)
        this.#newSkus.push([sku, products])
      }
      return new Map(
        skus.flatMap((sku) => {
          const products = this.#skus.get(sku) ?? 1
          return products === 1 ? [] : [[sku, products] as const]
        }),
      )
    }
  }

  /** Stores the new answers. */
  async flush(): Promise<void> {
    const rows = [
      { kind: 'address', answers: this.#newAddresses },
      { kind: 'sku', answers: this.#newSkus },
    ].filter(({ answers }) => answers.length > 0)
    this.#newAddresses = []
    this.#newSkus = []
    if (rows.length === 0) return
    await this.#scope.query(
      `insert into csv_answers (shop_id, csv_id, kind, answers)
       select :shop, u.id, a.kind, a.answers from csv_uploads u,
         jsonb_to_recordset(:rows::jsonb) as a(kind text, answers jsonb)
       where u.shop_id = :shop and u.id = :id`,
      { id: this.#id, rows: JSON.stringify(rows) },
    )
  }
}

type StoredAnswers =
  | { kind: 'address'; answers: [hash: string, problem: AddressProblem][] }
  | { kind: 'sku'; answers: [sku: string, products: number][] }

/** Forgets all answers, so that the next check requests everything. */
async function forgetAnswers(tx: ShopScope, id: string): Promise<void> {
  await tx.query('delete from csv_answers where shop_id = :shop and csv_id = :id', { id })
}

/** Forgets the answers that were problems, so that the next check requests these addresses again. */
export async function forgetFailures(tx: ShopScope, id: string): Promise<void> {
  await tx.query(
    `update csv_answers set answers = coalesce((
       select jsonb_agg(a) from jsonb_array_elements(answers) a
       where a -> 1 = case kind when 'address' then 'null'::jsonb else '1'::jsonb end), '[]')
     where shop_id = :shop and csv_id = :id`,
    { id },
  )
}
