// A form for the JSON Schema of a plugin's options: one field for each, which shows its default
// until it is changed.
import type { ReactNode } from 'react'
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import type { Alternative, AlternativeChoice } from '../../../shell/client/plugins.ts'
import '../../../shell/components/form.css'
import type { JsonSchema } from '../../../shell/client/workflows.ts'
import { ChoiceList, Select } from '../../../shell/ui/index.ts'
import type { Problems } from '../../../shell/components/problems.ts'
import { isRequired, withoutNull } from '../option-shape.ts'
import { optionsOf, chosenAt, withChoice, withField } from './alternatives.ts'
import { Field } from './field.tsx'
import type { FormProps, Options, WithForm } from './field-props.ts'
import { type FormScope, ScopeContext } from './scope.ts'

export function OptionForm(props: FormProps) {
  const { schema, value, onChange, path, problems, brief = false, dialog } = props
  const scope: FormScope = {
    values: value,
    change: (part) => onChange(withParts(value, part)),
    dialog,
  }
  return (
    <ScopeContext.Provider value={scope}>
      <div className="fields">
        {partsOf(props).map((part) =>
          typeof part === 'string' ? (
            <Field
              key={part}
              name={part}
              schema={ownValue(schema.properties!, part)!}
              required={isRequired(schema, part)}
              value={
                ownValue(value, part) === undefined
                  ? ownValue(schema.properties!, part)!.default
                  : ownValue(value, part)
              }
              onChange={(next) => onChange(withParts(value, { [part]: next }))}
              path={`${path}.${part}`}
              problems={problems}
              brief={brief}
              form={OptionForm}
            />
          ) : (
            <AlternativeField
              key={part.title}
              alternative={part}
              schema={schema}
              value={value}
              onChange={onChange}
              path={path}
              problems={problems}
              form={OptionForm}
            />
          ),
        )}
      </div>
    </ScopeContext.Provider>
  )
}

/** A decision takes the place of the first of its options. */
function partsOf({ schema, fields, alternatives = [] }: FormProps): (string | Alternative)[] {
  const names = (fields ?? Object.keys(schema.properties ?? {})).filter((name) =>
    ownValue(schema.properties, name),
  )
  const parts = names.map(
    (name) => alternatives.find((one) => optionsOf(one).includes(name)) ?? name,
  )
  return [...new Set(parts)]
}

/** Undefined removes an option. */
function withParts(value: Options, part: Options): Options {
  return Object.fromEntries(
    Object.entries({ ...value, ...part }).filter(([, one]) => one !== undefined),
  )
}

// One decision of a form: its choices, and the fields of the current one.

interface Props extends WithForm {
  alternative: Alternative
  schema: JsonSchema
  value: Options
  onChange: (value: Options) => void
  path: string
  problems: Problems
}

function AlternativeField(props: Props) {
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
