// One decision of a form: its choices, and the fields of the current one.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { type ReactNode } from 'react'
import { type Alternative, type AlternativeChoice } from '../../../shell/client/plugins.ts'
import { type JsonSchema } from '../../../shell/client/workflows.ts'
import { ChoiceList, Select } from '../../../shell/ui/index.ts'
import { type Problems } from '../../../shell/components/problems.ts'
import { chosenAt, withChoice, withField } from './alternatives.ts'
import { Field } from './field.tsx'
import { type Options, type WithForm } from './field-props.ts'
import { withoutNull } from '../option-shape.ts'

interface Props extends WithForm {
  alternative: Alternative
  schema: JsonSchema
  value: Options
  onChange: (value: Options) => void
  path: string
  problems: Problems
}

export function AlternativeField(props: Props) {
  const { alternative, schema, value, onChange } = props
  const { title, as, choices } = alternative
  const at = chosenAt(alternative, value)
  const pick = (next: string) =>
    onChange(withChoice(alternative, Number(next), value, schema.properties ?? {}))
  const fields = <ChoiceFields {...props} choice={choices[at]!} />
  if (as === 'select')
    return (
      <>
        <Select
          label={title}
          helpText={choices[at]!.help}
          options={choices.map(({ label }, index) => ({ label, value: String(index) }))}
          value={String(at)}
          onChange={pick}
        />
        {fields}
      </>
    )
  return (
    <>
      <div className="wide">
        <ChoiceList
          title={title}
          selected={[String(at)]}
          onChange={([next]) => next !== undefined && pick(next)}
          choices={choices.map(({ label, help }, index) => ({
            label,
            helpText: help,
            value: String(index),
          }))}
        />
      </div>
      {fields}
    </>
  )
}

function ChoiceFields({
  choice,
  schema,
  value,
  onChange,
  path,
  problems,
  form,
}: Props & { choice: AlternativeChoice }) {
  return choice.fields.map((name): ReactNode => {
    const own = ownValue(schema.properties, name)
    if (!own) return null
    // Null is a separate choice.
    const { schema: inner } = withoutNull(own)
    const title = ownValue(choice.titles, name) ?? own.title
    // The plugin's help explains what omitting the option means, which another choice does here.
    const description = ownValue(choice.titles, name) ? undefined : own.description
    return (
      <Field
        key={name}
        name={name}
        schema={{ ...inner, ...own, anyOf: inner.anyOf, title, description }}
        required={choice.fields[0] === name}
        value={ownValue(value, name) === undefined ? own.default : ownValue(value, name)}
        onChange={(next) => {
          const set = withField(choice, name, next)
          const rest = Object.entries(value).filter(([other]) => other !== name)
          onChange(Object.fromEntries(set === undefined ? rest : [...rest, [name, set]]))
        }}
        path={`${path}.${name}`}
        problems={problems}
        brief={false}
        form={form}
      />
    )
  })
}
