// Takes the chosen files off their products. What that means for buyers stands in front.
import { useState } from 'react'
import { useStartOperation } from '../../../client/operations.ts'
import { ProductPicker } from '../../../components/product-picker.tsx'
import { Banner, Select } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { FormError } from './form-error.tsx'

const ALL = ''
/** Any product of the shop: those of files that are not all known here can't be listed. */
const OTHER = 'other'

export function UnmapDialog(props: BulkProps) {
  const { files, known, count } = props.chosen
  const start = useStartOperation()
  const [from, setFrom] = useState(ALL)
  const [other, setOther] = useState<{ product_id: string; variant_id: null; title: string } | null>(null)
  const [missing, setMissing] = useState(false)
  const products = new Map(
    files.flatMap(({ mappings }) => mappings.map(({ product_id, product_title }) => [product_id, product_title])),
  )
  const mapped = files.filter(({ mappings }) => mappings.length > 0).length
  const text = countText(known ? mapped : count, 'file', 'files')
  const product = from === OTHER ? other?.product_id : from
  return (
    <BulkDialog
      {...props}
      title={`Remove product mappings of ${text}?`}
      run="Remove mappings"
      destructive
      start={start}
      error={start.error}
      work={() => {
        setMissing(product === undefined)
        if (product === undefined) return null
        return { action: 'unmap-products', options: product === ALL ? {} : { product_ids: [product] } }
      }}
    >
      <Banner tone="warning" title="Download links stop working">
        <p>
          The links of a file that is left without a product stop at once, and work again when it is mapped again. The
          files stay.
        </p>
      </Banner>
      {(products.size > 1 || !known) && (
        <Select
          label="Take them off"
          options={[
            { label: 'All their products', value: ALL },
            ...[...products].map(([value, label]) => ({ label, value })),
            ...(known ? [] : [{ label: 'Another product …', value: OTHER }]),
          ]}
          value={from}
          onChange={setFrom}
        />
      )}
      <FormError text={missing && product === undefined ? 'Choose a product' : undefined} />
      {from === OTHER && (
        <ProductPicker
          whole
          choice={other}
          onChoose={({ product_id, title }) => setOther({ product_id, variant_id: null, title })}
        />
      )}
    </BulkDialog>
  )
}
