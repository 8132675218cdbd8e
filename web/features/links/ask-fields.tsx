// The choice of what is asked before a download.
import { Select, TextField } from '../../shell/ui/index.ts'
import { type AskChange } from './ask-form.ts'
import { t } from '../../shell/messages/t.ts'

interface Props<Form extends AskChange> {
  form: Form
  /** The problem of the password. */
  error?: string | undefined
  /** Of the choice that leaves it to the file. */
  own: string
  /** Of the choice that changes nothing; absent: it is not offered. */
  keep?: string
  onChange: (part: Partial<Form>) => void
}

const HELP: Record<AskChange['ask'], string | undefined> = {
  unchanged: undefined,
  own: undefined,
  nothing: undefined,
  email: t(
    'Buyers enter the address of the link or the order. A link without an address accepts any, and you see which.',
  ),
  password: t('Tell it to the buyers: it is in no email, and cannot be read again.'),
}

export const AskFields = <Form extends AskChange>({
  form,
  error,
  own,
  keep,
  onChange,
}: Props<Form>) => (
  <>
    <Select
      label={t('Asked before a download')}
      options={[
        ...(keep === undefined ? [] : [{ value: 'unchanged', label: keep }]),
        { value: 'own', label: own },
        { value: 'nothing', label: t('Nothing') },
        { value: 'email', label: t('The buyer’s email address') },
        { value: 'password', label: t('A password') },
      ]}
      helpText={HELP[form.ask]}
      value={form.ask}
      onChange={(ask) => onChange({ ask: ask as Form['ask'] } as Partial<Form>)}
    />
    {form.ask === 'password' && (
      <TextField
        label={t('Password')}
        type="text"
        spellCheck={false}
        value={form.password}
        error={error}
        onChange={(password) => onChange({ password } as Partial<Form>)}
      />
    )}
  </>
)
