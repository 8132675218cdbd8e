// The password that opens encrypted documents. It goes to the step that needs it, and is shown in
// no history.
import { TextField } from '../../../ui/index.ts'

interface Props {
  value: string
  error?: string
  onChange: (password: string) => void
}

export function PasswordField(props: Props) {
  return (
    <TextField
      {...props}
      label="Password (optional)"
      type="password"
      autoComplete="off"
      helpText="For PDFs that need one to be opened. It is not kept in the history."
    />
  )
}
