// Maps imported files of the queue to a product that the merchant chooses.
import { type UploadQueue } from './queue.ts'
import { ProductDialog } from './product-dialog.tsx'
import { type UploadRow } from './rows.ts'
import { useMapTo } from '../mapping/calls.ts'
import { toast } from '../../shell/client/bridge.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  queue: UploadQueue
  rows: readonly UploadRow[]
  onClose: () => void
}

export function MapRows({ queue, rows, onClose }: Props) {
  const map = useMapTo()
  const [only] = rows
  return (
    <ProductDialog
      title={
        rows.length === 1 && only
          ? t('Choose a product for {filename}', { filename: only.filename })
          : t('Choose a product for {count, plural, one {# file} other {# files}}', {
              count: rows.length,
            })
      }
      saving={map.isPending}
      error={map.error}
      onChoose={({ product_id, variant_id, title }) =>
        map.mutate(
          {
            files: () => Promise.resolve(rows.flatMap(({ file }) => file ?? [])),
            choice: { product_id, variant_id },
          },
          {
            onSuccess: ({ id }) => {
              toast(
                t('{count, plural, one {# file is} other {# files are}} mapped to {title}', {
                  count: rows.length,
                  title,
                }),
              )
              void queue.followMapping(
                rows.map((row) => row.id),
                id,
              )
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}
