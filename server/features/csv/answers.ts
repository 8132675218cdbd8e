// What addresses and SKUs answered in earlier checks of a file: a check of corrected rows requests
// only what is new.
import { createHash } from 'node:crypto'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { AddressMemory, OddSkus } from './check-state.ts'
import type { AddressProblem } from './probes.ts'

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
export async function forgetAnswers(tx: ShopScope, id: string): Promise<void> {
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
