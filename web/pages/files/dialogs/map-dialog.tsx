// Attaches the chosen files to one product, found by its title or SKU.
import { useState } from 'react'
import { type Choice } from '../../../client/mapping.ts'
import { useStartOperation } from '../../../client/operations.ts'
import { ProductPicker } from '../../../components/product-picker.tsx'
import { Checkbox } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { FormError } from './form-error.tsx'

export function MapDialog(props: BulkProps) {
  const { files, known } = props.chosen
  const start = useStartOperation()
  const [choice, setChoice] = useState<(Choice & { title: string }) | null>(null)
  const [replace, setReplace] = useState(false)
  const [missing, setMissing] = useState(false)
  const mayBeMapped = !known || files.some(({ mappings }) => mappings.length > 0)
  return (
    <BulkDialog
      {...props}
      title={`Map ${countText(props.chosen.count, 'file', 'files')} to one product`}
      run={choice ? `Map to ${choice.title}` : 'Map files'}
      start={start}
      error={start.error}
      work={() => {
        setMissing(choice === null)
        if (!choice) return null
        const { product_id, variant_id } = choice
        const variant = variant_id === null ? {} : { variant_id }
        return { action: 'map-products', options: { product_id, ...variant, ...(replace ? { replace } : {}) } }
      }}
    >
      <FormError text={missing && !choice ? 'Choose a product' : undefined} />
      {mayBeMapped && (
        <Checkbox
          label="Take them off the products that they have"
          helpText="Otherwise they belong to this product too."
          checked={replace}
          onChange={setReplace}
        />
      )}
      <ProductPicker choice={choice} onChoose={setChoice} />
    </BulkDialog>
  )
}
