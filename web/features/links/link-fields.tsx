// The fields of a new link: expiry, limits, recipient.
import { ChoiceList, FormLayout, TextField } from '../../shell/ui/index.ts'
import { AskFields } from './ask-fields.tsx'
import { type LinkForm, type LinkFormErrors } from './link-form.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  form: LinkForm
  errors: LinkFormErrors
  /** What the link leads to. */
  to: 'file' | 'pack'
  onChange: (part: Partial<LinkForm>) => void
}

export function LinkFields({ form, errors, to, onChange }: Props) {
  return (
    <FormLayout>
      <Bounded
        title={t('Expiry')}
        free={t('Never expires')}
        bound={t('Expires after')}
        suffix={t('days')}
        label={t('Days until the link expires')}
        on={form.expires}
        text={form.expiryDays}
        error={errors.expiryDays}
        onToggle={(expires) => onChange({ expires })}
        onText={(expiryDays) => onChange({ expiryDays })}
      />
      <Bounded
        title={t('Downloads')}
        free={t('Unlimited')}
        bound={t('At most')}
        suffix={t('downloads')}
        label={t('Maximum downloads')}
        on={form.limited}
        text={form.downloadLimit}
        error={errors.downloadLimit}
        onToggle={(limited) => onChange({ limited })}
        onText={(downloadLimit) => onChange({ downloadLimit })}
      />
      {form.isViewed && <ViewFields form={form} errors={errors} onChange={onChange} />}
      <TextField
        label={t('Customer’s email (optional)')}
        type="email"
        inputMode="email"
        placeholder={t('name@example.com')}
        helpText={t('Saved with the link, so that you can tell who it is for.')}
        value={form.email}
        error={errors.email}
        onChange={(email) => onChange({ email })}
      />
      <AskFields
        form={form}
        error={errors.password}
        own={to === 'file' ? t('What the file asks for') : t('What each file asks for')}
        onChange={onChange}
      />
    </FormLayout>
  )
}

/** A pair of terms apart from those of downloads. */
const ViewFields = ({ form, errors, onChange }: Omit<Props, 'to'>) => (
  <>
    <Bounded
      title={t('Views in the browser')}
      free={t('Unlimited')}
      bound={t('At most')}
      suffix={t('views')}
      label={t('Maximum views')}
      on={form.viewsLimited}
      text={form.viewLimit}
      error={errors.viewLimit}
      onToggle={(viewsLimited) => onChange({ viewsLimited })}
      onText={(viewLimit) => onChange({ viewLimit })}
    />
    <Bounded
      title={t('Views end')}
      free={t('When the link expires')}
      bound={t('After')}
      suffix={t('days')}
      label={t('Days until views end')}
      on={form.viewsEnd}
      text={form.viewDays}
      error={errors.viewDays}
      onToggle={(viewsEnd) => onChange({ viewsEnd })}
      onText={(viewDays) => onChange({ viewDays })}
    />
  </>
)

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
