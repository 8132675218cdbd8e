// The fields of a new link: until when, how often, for whom.
import { ChoiceList, FormLayout, TextField } from '../../ui/index.ts'
import { type LinkForm, type LinkFormErrors } from './link-form.ts'

interface Props {
  form: LinkForm
  errors: LinkFormErrors
  onChange: (part: Partial<LinkForm>) => void
}

export function LinkFields({ form, errors, onChange }: Props) {
  return (
    <FormLayout>
      <Bounded
        title="Expiry"
        free="Never expires"
        bound="Expires after"
        suffix="days"
        label="Days until the link expires"
        on={form.expires}
        text={form.expiryDays}
        error={errors.expiryDays}
        onToggle={(expires) => onChange({ expires })}
        onText={(expiryDays) => onChange({ expiryDays })}
      />
      <Bounded
        title="Downloads"
        free="Unlimited"
        bound="At most"
        suffix="downloads"
        label="Most downloads"
        on={form.limited}
        text={form.downloadLimit}
        error={errors.downloadLimit}
        onToggle={(limited) => onChange({ limited })}
        onText={(downloadLimit) => onChange({ downloadLimit })}
      />
      <TextField
        label="Customer’s email (optional)"
        type="email"
        inputMode="email"
        autoComplete="off"
        placeholder="name@example.com"
        helpText="Kept with the link, so that you know whose it is."
        value={form.email}
        error={errors.email}
        onChange={(email) => onChange({ email })}
      />
    </FormLayout>
  )
}

interface BoundedProps {
  title: string
  free: string
  bound: string
  suffix: string
  label: string
  on: boolean
  text: string
  error?: string
  onToggle: (on: boolean) => void
  onText: (text: string) => void
}

function Bounded({
  title,
  free,
  bound,
  suffix,
  label,
  on,
  text,
  error,
  onToggle,
  onText,
}: BoundedProps) {
  return (
    <ChoiceList
      title={title}
      selected={[on ? 'bound' : 'free']}
      onChange={([choice]) => onToggle(choice === 'bound')}
      choices={[
        {
          label: bound,
          value: 'bound',
          renderChildren: (selected) =>
            selected && (
              <div style={{ maxInlineSize: 300 }}>
                <TextField
                  label={label}
                  labelHidden
                  type="number"
                  min={1}
                  step={1}
                  suffix={suffix}
                  autoComplete="off"
                  value={text}
                  error={error}
                  onChange={onText}
                />
              </div>
            ),
        },
        { label: free, value: 'free' },
      ]}
    />
  )
}
