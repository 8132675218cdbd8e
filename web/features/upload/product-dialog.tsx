// Chooses one product of the shop, for files of the queue.
import { useState } from 'react'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'

type ProductValue = Parameters<Parameters<typeof ProductPicker>[0]['onChoose']>[0]

interface Props {
  title: string
  /** Files that are not imported yet are mapped by the product’s SKU. */
  needsSku?: boolean
  saving: boolean
  error: Error | null
  onChoose: (product: ProductValue) => void
  onClose: () => void
}

export function ProductDialog({
  title,
  needsSku = false,
  saving,
  error,
  onChoose,
  onClose,
}: Props) {
  const [product, setProduct] = useState<ProductValue | null>(null)
  const isUsable = product !== null && (!needsSku || product.sku !== null)
  const finish = () => isUsable && onChoose(product)
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onEnter={finish}
      why={
        isUsable
          ? null
          : product
            ? t('It has no SKU: choose a variant or another product.')
            : t('Choose a product first.')
      }
      primaryAction={{
        content: t('Choose'),
        loading: saving,
        onAction: finish,
      }}
    >
      {error && <Problem error={error} what={t('The files could not be mapped')} />}
      <ProductPicker choice={product} onChoose={setProduct} />
    </Dialog>
  )
}
