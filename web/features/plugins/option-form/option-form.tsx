// A form for the JSON Schema of a plugin's options: one field for each, which shows its default
// until it is changed.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { type Alternative } from '../../../shell/client/plugins.ts'
import { isRequired } from '../option-shape.ts'
import { AlternativeField } from './alternative-field.tsx'
import { optionsOf } from './alternatives.ts'
import { Field } from './field.tsx'
import { type FormProps, type Options } from './field-props.ts'
import { type FormScope, ScopeContext } from './scope.ts'
import '../../../shell/components/form.css'

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
