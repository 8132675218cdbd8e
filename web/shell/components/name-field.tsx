// The name of a thing that is edited as a whole form.
import { TextField } from '../ui/index.ts'
import { fieldId, type Problems } from './problems.ts'
import { t } from '../messages/t.ts'

interface Props {
  form: {
    draft: { name: string }
    change: (part: { name: string }) => void
    visit: (path: string) => void
    problems: Problems
  }
}

export const NameField = ({ form: { draft, change, visit, problems } }: Props) => (
  <TextField
    label={t('Name')}
    id={fieldId('name')}
    maxLength={100}
    value={draft.name}
    error={problems.at('name')}
    onChange={(name) => {
      change({ name })
      visit('name')
    }}
  />
)
