// The password that opens encrypted documents. It goes to the step that needs it, and is shown in
// no history.
import { TextField } from '../../../ui/index.ts'
import { t } from '../../../messages/t.ts'

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
      autoComplete="off"
      helpText={t('For PDFs that need a password to open. It is not stored in the history.')}
    />
  )
}
