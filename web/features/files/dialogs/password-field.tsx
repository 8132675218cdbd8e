// The password of encrypted documents: for one step, and not shown in history.
import { TextField } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  value: string
  error?: string
  onChange: (password: string) => void
}

export function PasswordField(props: Props) {
  return (
    <TextField
      {...props}
      label={t('Password (optional)')}
      type="password"
      helpText={t('For PDFs that need a password to open. It is not stored in the history.')}
    />
  )
}
