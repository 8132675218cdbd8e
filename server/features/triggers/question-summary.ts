// What a question is about, in a few lines: for its mail and for the page that answers it.
import { say, textOf, type Plugin, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { OperationRow } from '../../engine/types.ts'
import { summaryFields } from '../workflows/describe.ts'

/** Names that are listed. */
const NAMES = 10

export interface QuestionSummary {
  title: string
  steps: Text[]
  counts: { label: Text; count: number }[]
  names: string[]
  /** How many files would change beside those that are named. */
  more: number
  /** What its last steps would do. */
  intentions: Text[]
}

export async function questionSummary(
  scope: ShopScope,
  { id, workflow, preview_counts, skipped, failed, intentions }: OperationRow,
  plugins: readonly Plugin[],
): Promise<QuestionSummary> {
  const changed = preview_counts?.changed ?? 0
  const names = await changedNames(scope, id)
  const counts = [
    { label: say('Would change'), count: changed },
    { label: say('Would stay as they are'), count: preview_counts?.unchanged ?? 0 },
    { label: say('Would ask for a product'), count: preview_counts?.candidates ?? 0 },
    { label: say('Would be skipped'), count: skipped },
    { label: say('Would fail'), count: failed },
  ]
  return {
    title: workflow.title,
    steps: workflow.steps.map((step) => summaryFields(step, plugins).summary_text),
    counts: counts.filter(({ count }, at) => at === 0 || count > 0),
    names,
    more: Math.max(0, changed - names.length),
    intentions: intentions.map(textOf),
  }
}

/** The first files that would change, each as it is called now and would be called. */
async function changedNames(scope: ShopScope, id: string): Promise<string[]> {
  const rows = await scope.query<{ name: string; renamed: string | null }>(
    `select coalesce(f.filename, i.after ->> 'filename', '') as name,
       nullif(i.after ->> 'filename', f.filename) as renamed
     from items i left join files f on f.shop_id = i.shop_id and f.id = i.file_id
     where i.shop_id = :shop and i.operation_id = :id and i.status = 'done'
     order by i.after is null, i.position limit :most`,
    { id, most: NAMES },
  )
  return rows.map(({ name, renamed }) => (renamed === null ? name : `${name} → ${renamed}`))
}
