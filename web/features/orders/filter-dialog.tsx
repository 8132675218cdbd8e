// Limits the list of deliveries to those with one file, or of orders with one product.
import { useState } from 'react'
import { type Choice } from '../mapping/calls.ts'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { FilePicker } from '../plugins/option-form/widgets/file-picker.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'

interface FileProps {
  onClose: () => void
  onChoose: (file: string) => void
}

export function FileFilter({ onClose, onChoose }: FileProps) {
  const [file, setFile] = useState<string | null>(null)
  return (
    <Dialog
      title={t('Deliveries of one file')}
      onClose={onClose}
      why={file === null ? t('Choose a file first.') : null}
      primaryAction={{ content: t('Show'), onAction: () => file && onChoose(file) }}
    >
      <FilePicker
        required
        brief={false}
        name="file"
        path="file"
        schema={{ title: t('File') }}
        value={file}
        problems={problemsOf([])}
        onChange={(chosen) => setFile(chosen as string)}
      />
    </Dialog>
  )
}

interface ProductProps {
  onClose: () => void
  onChoose: (product: { product_id: string; title: string }) => void
}

export function ProductFilter({ onClose, onChoose }: ProductProps) {
  const [choice, setChoice] = useState<(Choice & { title: string }) | null>(null)
  return (
    <Dialog
      title={t('Deliveries of one product')}
      onClose={onClose}
      why={choice === null ? t('Choose a product first.') : null}
      primaryAction={{ content: t('Show'), onAction: () => choice && onChoose(choice) }}
    >
      <ProductPicker whole choice={choice} onChoose={setChoice} />
    </Dialog>
  )
}
