// Gives files of a delivery more time or more downloads.
import { useState } from 'react'
import { toast } from '../../client/bridge.ts'
import {
  type DeliveredFile,
  type Delivery,
  type DeliveryChange,
  useChangeDelivery,
} from '../../client/deliveries.ts'
import { Dialog } from '../../components/dialog.tsx'
import { NumberField, type NumberValue } from '../../components/number-field.tsx'
import { Problem } from '../../components/problem.tsx'
import { objectionsIn, problemsOf } from '../../components/problems.ts'
import { t } from '../../messages/t.ts'
import { Checkbox, Text } from '../../ui/index.ts'

interface Props {
  delivery: Delivery
  files: readonly DeliveredFile[]
  onClose: () => void
}

const MAX_DAYS = 36_500
const MAX_DOWNLOADS = 1_000_000_000
const isCount = (value: NumberValue, most: number): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most)

export function TermsDialog({ delivery: { id, email, status }, files, onClose }: Props) {
  const change = useChangeDelivery(id)
  const [days, setDays] = useState<NumberValue>(30)
  const [more, setMore] = useState<NumberValue>(undefined)
  const [resend, setResend] = useState(false)
  const [tried, setTried] = useState(false)
  const problems = problemsOf(objectionsIn(change.error))
  const wrong = t('Enter a whole number above 0')
  const right = isCount(days, MAX_DAYS) && isCount(more, MAX_DOWNLOADS)
  const canSend = status === 'ready' && email !== null
  const submit = () => {
    setTried(true)
    if (!right) return
    if (days === undefined && more === undefined) return onClose()
    const body: DeliveryChange = {
      file_ids: files.map(({ file_id }) => file_id),
      ...(days === undefined ? {} : { expiry_days: days as number | null }),
      ...(more === undefined
        ? {}
        : more === null
          ? { download_limit: null }
          : { more_downloads: more as number }),
    }
    change.mutate(
      { changes: [body], resend: resend && canSend },
      {
        onSuccess: () => {
          toast(t('The terms were changed'))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title={
        files.length === 1
          ? t('Extend {name}', { name: files[0]!.filename })
          : t('Extend {count, plural, one {# file} other {# files}}', { count: files.length })
      }
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Extend'), loading: change.isPending, onAction: submit }}
      secondaryActions={[{ content: t('Cancel'), onAction: onClose }]}
    >
      {change.error && problems.all.length === 0 && (
        <Problem error={change.error} what={t('The terms could not be changed')} />
      )}
      <NumberField
        label={t('Expires, counted from now')}
        none={t('Never')}
        optional
        start={30}
        suffix={t('days')}
        value={days}
        error={tried && !isCount(days, MAX_DAYS) ? wrong : problems.at('expiry_days')}
        onChange={setDays}
      />
      <NumberField
        label={t('More downloads')}
        none={t('Any number')}
        optional
        start={3}
        suffix={t('more')}
        value={more}
        error={tried && !isCount(more, MAX_DOWNLOADS) ? wrong : problems.at('more_downloads')}
        onChange={setMore}
      />
      <Text as="p" tone="subdued">
        {t('It applies to this order only. The link of the buyer stays the same.')}
      </Text>
      {canSend && (
        <Checkbox
          label={t('Send the email with the link again')}
          checked={resend}
          onChange={setResend}
        />
      )}
    </Dialog>
  )
}
