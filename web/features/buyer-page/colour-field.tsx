// A colour: picked, typed, or the usual one.
import { Button, InlineStack, TextField } from '../../shell/ui/index.ts'
import { fieldId } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  param: string
  label: string
  help: string
  error: string | undefined
  /** Shown in the picker if none is chosen. */
  usual: string
  value: string | null
  onChange: (value: string | null) => void
}

const HEX = /^#[0-9a-fA-F]{6}$/

export function ColourField({ param, label, help, error, usual, value, onChange }: Props) {
  const shown = value !== null && HEX.test(value) ? value : usual
  return (
    <InlineStack gap="200" blockAlign="end" wrap={false}>
      <input
        type="color"
        className="colour"
        aria-label={t('Pick: {label}', { label })}
        value={shown.toLowerCase()}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="colour-text">
        <TextField
          id={fieldId(param)}
          label={label}
          helpText={help}
          error={error}
          maxLength={7}
          placeholder={usual}
          value={value ?? ''}
          onChange={(text) => onChange(text.trim() === '' ? null : text.trim())}
          connectedRight={
            value === null ? undefined : (
              <Button
                accessibilityLabel={t('{label}: use the usual one', { label })}
                onClick={() => onChange(null)}
              >
                {t('Reset')}
              </Button>
            )
          }
        />
      </div>
    </InlineStack>
  )
}
