// A file was made available before its date: with the way back.
import { useChangeDelivery } from './calls.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, Button } from '../../shell/ui/index.ts'

export interface ReleasedFile {
  file_id: string
  filename: string
  /** When it would have become available. */
  available_at: string
}

interface Props {
  delivery: string
  file: ReleasedFile
  onClose: () => void
}

/** What the buyer has downloaded in the meantime stays with the buyer. */
export function ReleasedBanner({ delivery, file, onClose }: Props) {
  const { file_id, filename, available_at } = file
  const undo = useChangeDelivery(delivery)
  const restore = () =>
    undo.mutate(
      { changes: [{ terms: [{ file_id, available_at }] }], resend: false },
      { onSuccess: onClose },
    )
  return (
    <Banner tone="success" title={t('{name} is available', { name: filename })} onDismiss={onClose}>
      <div role="status">
        {t(
          'Undo makes it available on {moment} again, for this order. An email that was sent about it stays with the buyer.',
          {
            moment: momentText(available_at),
          },
        )}
      </div>
      {undo.error && <Problem error={undo.error} what={t('This could not be undone')} />}
      <Button loading={undo.isPending} onClick={restore}>
        {t('Undo')}
      </Button>
    </Banner>
  )
}
