// The rental or membership of one buyer's file was changed: with the way back.
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, Button } from '../../shell/ui/index.ts'
import { useChangeDelivery } from './calls.ts'
import { type ChangedUse } from './use-terms-dialog.tsx'

interface Props {
  delivery: string
  changed: ChangedUse
  onClose: () => void
}

export function UseTermsBanner({ delivery, changed: { filename, before }, onClose }: Props) {
  const undo = useChangeDelivery(delivery)
  const restore = () =>
    undo.mutate({ changes: [{ terms: [before] }], resend: false }, { onSuccess: onClose })
  return (
    <Banner
      tone="success"
      title={t('The terms of {name} were changed', { name: filename })}
      onDismiss={onClose}
    >
      <div role="status">{t('They apply to this order, from now on.')}</div>
      {undo.error && <Problem error={undo.error} what={t('This could not be undone')} />}
      <Button loading={undo.isPending} onClick={restore}>
        {t('Undo')}
      </Button>
    </Banner>
  )
}
