// Files that were added to the order alone: what was added last, to be undone, and single ones taken back.
import { type ReactNode, useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, Button } from '../../shell/ui/index.ts'
import { type AddedToOrder, type DeliveredFile, useTakeBack } from './calls.ts'

export function useAddedFiles(delivery: string): {
  banner: ReactNode
  show: (added: AddedToOrder) => void
  takeBack: (file: DeliveredFile) => void
} {
  const [added, show] = useState<AddedToOrder | null>(null)
  const work = useTakeBack(delivery)
  const takeBack = ({ file_id, filename }: DeliveredFile) =>
    work.mutate([file_id], {
      onSuccess: () => {
        show(null)
        toast(t('{name} was taken back', { name: filename }))
      },
    })
  const banner = (
    <>
      {work.error && <Problem error={work.error} what={t('The file could not be taken back')} />}
      {added && <AddedBanner key={added.files.join()} added={added} onClose={() => show(null)} />}
    </>
  )
  return { banner, show, takeBack }
}

function AddedBanner({ added, onClose }: { added: AddedToOrder; onClose: () => void }) {
  const undo = useTakeBack(added.delivery)
  const restore = () =>
    undo.mutate(added.files, {
      onSuccess: () => {
        toast(t('Undone'))
        onClose()
      },
    })
  return (
    <Banner
      tone="success"
      title={t('{count, plural, one {# file} other {# files}} added to this order', {
        count: added.files.length,
      })}
      onDismiss={onClose}
    >
      <div role="status">
        {t('Undo takes them back. An email that was sent stays with the buyer.')}
      </div>
      {undo.error && <Problem error={undo.error} what={t('This could not be undone')} />}
      <Button loading={undo.isPending} onClick={restore}>
        {t('Undo')}
      </Button>
    </Banner>
  )
}
