// Asks what all rows of a group get: a product's SKU, a value, or a replaced part of the text.
import { useState } from 'react'
import { type Fix, type ProblemGroup } from './correction-calls.ts'
import { CSV_FIELDS_TEXT } from './labels.ts'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Select, TextField } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

export type FixQuestion = 'product' | 'value' | 'replace'

interface Props {
  group: ProblemGroup
  question: FixQuestion
  error: Error | null
  saving: boolean
  /** `value`: only rows whose cells have this text. */
  onFix: (fix: Fix, value: string | undefined) => void
  onClose: () => void
}

const TITLES: Record<FixQuestion, string> = {
  product: t('Choose a product for these rows'),
  value: t('Set one value'),
  replace: t('Replace a part'),
}
type ProductValue = Parameters<Parameters<typeof ProductPicker>[0]['onChoose']>[0]

/** What is missing while there is no correction. */
const whyNot = (question: FixQuestion, product: ProductValue | null): string => {
  if (question !== 'product') return t('Enter what is to be found first.')
  return product
    ? t('It has no SKU: choose a variant or another product.')
    : t('Choose a product first.')
}

export function FixDialog({ group, question, error, saving, onFix, onClose }: Props) {
  const { field, values } = group
  // Each text has its own option; the empty one is all rows.
  const [which, setWhich] = useState(-1)
  const [product, setProduct] = useState<ProductValue | null>(null)
  const [text, setText] = useState('')
  const [find, setFind] = useState('')
  const fix = fixOf({ question, sku: product?.sku ?? null, text, find })
  const finish = () => fix && onFix(fix, values[which]?.value)
  return (
    <Dialog
      title={TITLES[question]}
      onClose={onClose}
      onEnter={finish}
      why={fix === null ? whyNot(question, product) : null}
      primaryAction={{
        content: t('Correct the rows'),
        loading: saving,
        onAction: finish,
      }}
    >
      {error && <Problem error={error} what={t('The rows could not be corrected')} />}
      {group.different > 1 && question !== 'replace' && (
        <WhichRows group={group} which={which} onChange={setWhich} />
      )}
      {question === 'product' && <ProductPicker choice={product} onChoose={setProduct} />}
      {question === 'replace' && <TextField label={t('Find')} value={find} onChange={setFind} />}
      {question !== 'product' && (
        <TextField
          label={
            question === 'replace'
              ? t('Replace with')
              : field === null
                ? t('Value')
                : CSV_FIELDS_TEXT[field].label
          }
          helpText={
            question === 'value' && field !== null ? CSV_FIELDS_TEXT[field].help : undefined
          }
          value={text}
          onChange={setText}
        />
      )}
    </Dialog>
  )
}

interface WhichProps {
  group: ProblemGroup
  which: number
  onChange: (which: number) => void
}

const WhichRows = ({ group: { rows, values }, which, onChange }: WhichProps) => (
  <Select
    label={t('Which rows')}
    options={[
      { value: '-1', label: t('All {rows, plural, one {# row} other {# rows}}', { rows }) },
      ...values.map(({ value, rows: count }, at) => ({
        value: String(at),
        label: t('{value}: {count, plural, one {# row} other {# rows}}', { value, count }),
      })),
    ]}
    value={String(which)}
    onChange={(at) => onChange(Number(at))}
  />
)

interface Answer {
  question: FixQuestion
  sku: string | null
  text: string
  find: string
}

/** The fix that the answers describe; null if an answer is missing. */
function fixOf({ question, sku, text, find }: Answer): Fix | null {
  if (question === 'product') return sku === null ? null : { type: 'set', text: sku }
  if (question === 'value') return { type: 'set', text: text.trim() }
  return find === '' ? null : { type: 'replace', find, with: text }
}
