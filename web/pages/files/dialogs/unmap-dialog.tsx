// Takes the chosen files off their products. What that means for buyers stands in front.
import { useState } from 'react'
import { useStartOperation } from '../../../client/operations.ts'
import { Banner, Select } from '../../../ui/index.ts'
import { countText } from '../../../words/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'

const ALL = ''

export function UnmapDialog(props: BulkProps) {
  const { files, known, count } = props.chosen
  const start = useStartOperation()
  const [product, setProduct] = useState(ALL)
  const products = new Map(
    files.flatMap(({ mappings }) => mappings.map(({ product_id, product_title }) => [product_id, product_title])),
  )
  const mapped = files.filter(({ mappings }) => mappings.length > 0).length
  const text = countText(known ? mapped : count, 'file', 'files')
  return (
    <BulkDialog
      {...props}
      title={`Remove product mappings of ${text}?`}
      run="Remove mappings"
      destructive
      start={start}
      error={start.error}
      work={() => ({
        action: 'unmap-products',
        options: product === ALL ? {} : { product_ids: [product] },
      })}
    >
      <Banner tone="warning" title="Download links stop working">
        <p>
          The links of a file that is left without a product stop at once, and work again when it is mapped again. The
          files stay.
        </p>
      </Banner>
      {products.size > 1 && (
        <Select
          label="Take them off"
          options={[
            { label: 'All their products', value: ALL },
            ...[...products].map(([value, label]) => ({ label, value })),
          ]}
          value={product}
          onChange={setProduct}
        />
      )}
    </BulkDialog>
  )
}
