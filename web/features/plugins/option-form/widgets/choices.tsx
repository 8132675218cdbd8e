// One of a few values as radio buttons, or several as checkboxes, with the plugin's labels and
// help.
import { ownValue } from '../../../../../plugins/_page/own-value.ts'
import {
  Button,
  Checkbox,
  ChoiceList,
  InlineError,
  InlineStack,
} from '../../../../shell/ui/index.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleFromName, titleOf, withoutNull } from '../../option-shape.ts'
import { inSentence } from '../../../../shell/labels/size.ts'
import { t } from '../../../../shell/messages/t.ts'

export function RadioChoice({ name, schema, value, onChange, path, problems }: FieldProps) {
  const { choices = {}, hints = {} } = schema
  const values = (withoutNull(schema).schema.enum ?? []).map(String)
  return (
    <ChoiceList
      title={titleOf(schema, name)}
      error={problems.within(path)}
      selected={typeof value === 'string' ? [value] : []}
      onChange={([next]) => onChange(next)}
      choices={values.map((one) => ({
        value: one,
        label: ownValue(choices, one) ?? titleFromName(one),
        helpText: ownValue(hints, one),
      }))}
    />
  )
}

/** The usual values come first; they are sent in the order of the schema. */
export function Checklist({ name, schema, value, onChange, path, problems }: FieldProps) {
  const { choices = {}, hints = {} } = schema
  const values = (withoutNull(schema).schema.items?.enum ?? []).map(String)
  const usual = Array.isArray(schema.default) ? schema.default.map(String) : null
  const shown = usual ? [...usual, ...values.filter((one) => !usual.includes(one))] : values
  const chosen = Array.isArray(value) ? value.map(String) : []
  const inOrder = (some: readonly string[]) => onChange(values.filter((one) => some.includes(one)))
  const error = problems.within(path)
  const title = titleOf(schema, name)
  return (
    <fieldset className="plain-set" id={fieldId(path)} tabIndex={-1}>
      <legend>{title}</legend>
      <div className="pairs tight">
        {shown.map((one) => (
          <Checkbox
            key={one}
            label={ownValue(choices, one) ?? titleFromName(one)}
            helpText={ownValue(hints, one)}
            checked={chosen.includes(one)}
            onChange={(on) =>
              inOrder(on ? [...chosen, one] : chosen.filter((other) => other !== one))
            }
          />
        ))}
      </div>
      {usual && (
        <InlineStack gap="300">
          <Button variant="plain" onClick={() => inOrder(usual)}>
            {t('The usual {title}', { title: inSentence(title) })}
          </Button>
          <Button variant="plain" onClick={() => inOrder(values)}>
            {t('All {title}', { title: inSentence(title) })}
          </Button>
        </InlineStack>
      )}
      {error && <InlineError message={error} fieldID={fieldId(path)} />}
    </fieldset>
  )
}
