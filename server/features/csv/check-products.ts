// Checks the products that rows name: by SKUs, in the background while rows are read, then by handles
// and ids. Each unknown one is a warning: the file is attached to the others.
import { partsOfNames, say, sayPlain, wholeProductId } from '../../../plugins/contract/index.ts'
import { ERRORS } from '../../core/errors.ts'
import {
  addRow,
  rowNumbers,
  type CheckParts,
  type CheckState,
  type ProductNamesOfRows,
} from './check-state.ts'
import type { RowValues } from './row-values.ts'

/** Records the products that a row names. */
export function addProducts(state: CheckState, row: number, values: RowValues): void {
  const { product_sku } = values
  if (product_sku !== '' && addRow(state.skus, product_sku, row)) state.newSkus.push(product_sku)
  for (const handle of partsOfNames(values.product_handle)) addRow(state.handles, handle, row)
  for (const id of partsOfNames(values.product_id)) addRow(state.productIds, id, row)
}

export async function checkProducts(parts: CheckParts, state: CheckState): Promise<void> {
  state.step({ phase: 'skus' })
  const several: ProductNamesOfRows = new Map()
  const isChecked = await checkSkus(state, state.skus, (sku, rows) => {
    const names = partsOfNames(sku)
    if (names.length < 2) return false
    for (const name of names) for (const row of rows) addRow(several, name, row)
    return true
  })
  state.newSkus.push(...several.keys())
  state.lookUpSkus(1)
  if (isChecked) await checkSkus(state, several, () => false)
  state.skus.clear()
  await checkNamed(state, 'product_handle', state.handles, (names) =>
    parts.unknownProducts('handle', names),
  )
  await checkNamed(state, 'product_id', state.productIds, async (names) => {
    const unknown = new Set(await parts.unknownProducts('id', names.map(wholeProductId)))
    return names.filter((name) => unknown.has(wholeProductId(name)))
  })
}

/**
 * Reports the SKUs without exactly one product.
 * @param isSeveral takes a SKU that no product has if it may be several
 * @returns whether the storefront answered
 */
async function checkSkus(
  state: CheckState,
  skus: ProductNamesOfRows,
  isSeveral: (sku: string, rows: readonly number[]) => boolean,
): Promise<boolean> {
  for (const lookUp of state.skuLookUps.splice(0)) {
    const odd = await lookUp
    if (!odd) {
      await state.add(1, NOT_CHECKED)
      return false
    }
    for (const [sku, products] of odd) {
      const rows = rowNumbers(skus, sku)
      if (products === 0 && isSeveral(sku, rows)) continue
      const [code, detail] =
        products === 0
          ? (['sku_not_found', sayPlain('The file is imported without a product')] as const)
          : ([
              'sku_ambiguous',
              say('{count} products have it: choose one after the import', { count: products }),
            ] as const)
      const { message } = ERRORS[code]
      for (const row of rows)
        await state.add(row, {
          field: 'product_sku',
          severity: 'warning',
          code,
          message,
          detail,
          value: sku,
        })
    }
  }
  return true
}

const NOT_CHECKED = {
  field: 'product_sku',
  severity: 'warning',
  code: 'storefront_unavailable',
  message: ERRORS.storefront_unavailable.message,
  detail: sayPlain('SKUs were not checked: they are looked up again when the files are imported'),
} as const

async function checkNamed(
  state: CheckState,
  field: 'product_handle' | 'product_id',
  named: ProductNamesOfRows,
  unknownOf: (names: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  if (named.size === 0) return
  const { message } = ERRORS.product_not_found
  for (const value of await unknownOf([...named.keys()]))
    for (const row of rowNumbers(named, value))
      await state.add(row, {
        field,
        severity: 'warning',
        code: 'product_not_found',
        message,
        value,
      })
  named.clear()
}
