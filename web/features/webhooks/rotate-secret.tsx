// The dialog that replaces a webhook's secret, and shows the new one.
import { useState } from 'react'
import { useRotateSecret, type Webhook } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Select, Text } from '../../shell/ui/index.ts'
import { Secret } from './create-webhook.tsx'

const TIMES = [
  { value: '24', label: t('For a day') },
  { value: '168', label: t('For a week') },
  { value: '0', label: t('Not at all: it may have leaked') },
]

export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useRotateSecret(webhook.id)
  const [hours, setHours] = useState('24')
  if (rotate.data)
    return <Secret title={t('The secret was replaced')} made={rotate.data} onClose={onClose} />
  return (
    <Dialog
      title={t('Replace the signing secret?')}
      onClose={onClose}
      primaryAction={{
        content: t('Replace'),
        loading: rotate.isPending,
        onAction: () => rotate.mutate(Number(hours)),
      }}
    >
      {rotate.error && (
        <Problem error={rotate.error} what={t('The secret could not be replaced')} />
      )}
      <Text as="p">
        {t('Messages carry a signature of both secrets while the previous one works.')}
      </Text>
      <Select
        label={t('The previous secret works')}
        options={TIMES}
        value={hours}
        onChange={setHours}
      />
    </Dialog>
  )
}
