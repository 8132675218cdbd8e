// Asks for a pack's name.
import { useState } from 'react'
import { ApiError } from '../../shell/client/error.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { TextField } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  title: string
  save: string
  name: string
  saving: boolean
  error: Error | null
  onChange: (name: string) => void
  onSave: () => void
  onClose: () => void
}

export function NameDialog({ title, save, name, saving, error, onChange, onSave, onClose }: Props) {
  const [empty, setEmpty] = useState(false)
  const taken = error instanceof ApiError && error.status === 409
  const problem = problemsOf(objectionsIn(error)).at('name') ?? (taken ? error.message : undefined)
  const submit = () => {
    setEmpty(name.trim() === '')
    if (name.trim() !== '') onSave()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: save, onAction: submit, loading: saving }}
    >
      {error && !problem && <Problem error={error} what={t('The pack could not be saved')} />}
      <TextField
        label={t('Name')}
        autoFocus
        value={name}
        error={empty ? t('Enter a name for the pack') : problem}
        onChange={(text) => {
          setEmpty(false)
          onChange(text)
        }}
      />
    </Dialog>
  )
}
