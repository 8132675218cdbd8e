// If no candidate is right: any product of the shop, found by title or SKU.
import { useState } from 'react'
import { type Choice, filesAlike, type Review, useMapTo } from '../calls.ts'
import { type Decision } from '../decision-bar.tsx'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { ProductPicker } from '../product-picker.tsx'
import { t } from '../../../shell/messages/t.ts'
import { type GroupSummary } from './review-card.tsx'

interface Props {
  review: Review
  /** The product is for all files of the group. */
  alike?: GroupSummary | undefined
  onClose: () => void
  onDecided: (decision: Decision) => void
}

export function ChooseProduct({ review, alike, onClose, onDecided }: Props) {
  const [choice, setChoice] = useState<(Choice & { title: string }) | null>(null)
  const map = useMapTo()
  const { filename } = review.file
  const finish = () =>
    choice &&
    map.mutate(
      { files: alike ? () => filesAlike(review) : () => Promise.resolve([review.file.id]), choice },
      {
        onSuccess: ({ id, total }) => {
          const { title } = choice
          onDecided({
            text: alike
              ? t(
                  '{accepted, plural, one {# file is attached to {title}} other {# files are attached to {title}}}',
                  { accepted: total, title },
                )
              : t('{filename} is attached to {title}', { filename, title }),
            undo: { kind: 'operation', id },
          })
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={
        alike
          ? t('Choose a product for {count, plural, one {# file} other {# files}}', {
              count: alike.count,
            })
          : t('Choose a product for {filename}', { filename })
      }
      onClose={onClose}
      why={choice ? null : t('Choose a product first.')}
      primaryAction={{
        content: t('Attach'),
        loading: map.isPending,
        onAction: () => void finish(),
      }}
    >
      {map.error && <Problem error={map.error} what={t('The file could not be attached')} />}
      <ProductPicker choice={choice} onChoose={setChoice} />
    </Dialog>
  )
}
