// Whether files that a product gets after it was sold go to its past buyers: of a product, or of a rule.
import { type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { Select } from '../../shell/ui/index.ts'

/** Null: what else decides. */
export type NewFilesChoice = Schemas['ProductNewFiles']['new_files']

interface Props {
  label: string
  /** The label of null. */
  usual: string
  value: NewFilesChoice
  onChange: (value: NewFilesChoice) => void
  disabled?: boolean
}

const USUAL = 'usual'

export const NewFilesSelect = ({ label, usual, value, onChange, disabled = false }: Props) => (
  <Select
    label={label}
    options={[
      { value: USUAL, label: usual },
      { value: 'ask', label: t('Ask me') },
      { value: 'always', label: t('Always') },
      { value: 'never', label: t('Never') },
    ]}
    value={value ?? USUAL}
    disabled={disabled}
    onChange={(chosen) => onChange(chosen === USUAL ? null : (chosen as NewFilesChoice))}
  />
)
