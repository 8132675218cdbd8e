// What a key may do, and for how long: the fields of the dialogs that give access.
import { t } from '../../../shell/messages/t.ts'
import { ChoiceList } from '../../../shell/ui/index.ts'
import { SCOPES } from '../api-key-labels.ts'

export const LIFETIMES = [
  { value: '', label: t('Never') },
  { value: '30', label: t('After 30 days') },
  { value: '90', label: t('After 90 days') },
  { value: '365', label: t('After a year') },
]

interface Props {
  selected: string[]
  error: string | undefined
  onChange: (chosen: string[]) => void
}

export const ScopeChoices = ({ selected, error, onChange }: Props) => (
  <ChoiceList
    title={t('Permissions')}
    allowMultiple
    choices={SCOPES.map(({ scope, text }) => ({ value: scope, label: text, helpText: scope }))}
    selected={selected}
    error={error}
    onChange={onChange}
  />
)
