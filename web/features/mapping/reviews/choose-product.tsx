// If no candidate is right: any product of the shop, found by title or SKU.
import { useState } from 'react'
import { toast } from '../../../shell/client/bridge.ts'
import { type Choice, type Review, useMapTo } from '../calls.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { ProductPicker } from '../product-picker.tsx'
import { t } from '../../../shell/messages/t.ts'

export function ChooseProduct({ review, onClose }: { review: Review; onClose: () => void }) {
  const [choice, setChoice] = useState<(Choice & { title: string }) | null>(null)
  const map = useMapTo()
  const finish = () =>
    choice &&
    map.mutate(
      { fileIds: [review.file.id], choice },
      {
        onSuccess: () => {
          toast(
            t('{filename} is attached to {title}', {
              filename: review.file.filename,
              title: choice.title,
            }),
          )
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={t('Choose a product for {filename}', { filename: review.file.filename })}
      onClose={onClose}
      primaryAction={{
        content: t('Attach'),
        disabled: !choice,
        loading: map.isPending,
        onAction: () => void finish(),
      }}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose }]}
    >
      {map.error && <Problem error={map.error} what={t('The file could not be attached')} />}
      <ProductPicker choice={choice} onChoose={setChoice} />
    </Dialog>
  )
}
