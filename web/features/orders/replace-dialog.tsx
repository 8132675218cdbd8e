// Replaces a file of the delivery with another one.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type DeliveredFile, type Delivery, useChangeDelivery } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { FilePicker } from '../plugins/option-form/widgets/file-picker.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Checkbox, InlineError } from '../../shell/ui/index.ts'

interface Props {
  delivery: Delivery
  file: DeliveredFile
  onClose: () => void
  /** The change is saved, but its message could not be sent. */
  onUnsent: (error: Error) => void
}

export function ReplaceDialog({ delivery, file, onClose, onUnsent }: Props) {
  const { id, email, status } = delivery
  const change = useChangeDelivery(id)
  const [chosen, setChosen] = useState<string | null>(null)
  // A sent email cannot be undone.
  const [resend, setResend] = useState(false)
  const [tried, setTried] = useState(false)
  const problems = problemsOf(objectionsIn(change.error))
  const canSend = status === 'ready' && email !== null
  const submit = () => {
    setTried(true)
    if (chosen === null) return
    change.mutate(
      {
        changes: [{ replace: [{ file_id: file.file_id, with: chosen }] }],
        resend: resend && canSend,
      },
      {
        onSuccess: (unsent) => {
          if (unsent) onUnsent(unsent)
          else toast(t('The file was replaced'))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title={t('Replace {name} in this order', { name: file.filename })}
      onClose={onClose}
      primaryAction={{ content: t('Replace'), loading: change.isPending, onAction: submit }}
    >
      {change.error && <Problem error={change.error} what={t('The file could not be replaced')} />}
      {tried && chosen === null && (
        <InlineError message={t('Choose the file that the buyer gets')} fieldID="with" />
      )}
      <FilePicker
        required
        brief={false}
        name="with"
        path="with"
        schema={{ title: t('The file that the buyer gets') }}
        value={chosen}
        problems={problems}
        onChange={clearing(change, (file) => setChosen(file as string))}
      />
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
