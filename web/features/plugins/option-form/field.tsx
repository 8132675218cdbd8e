// One field of a form, drawn as its option's widget or type says.
import { useState } from 'react'
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { Checkbox, Select, TextField } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'
import { FilterFields, TagWords } from '../../../shell/files/filter-fields.tsx'
import { NumberField } from '../../../shell/components/number-field.tsx'
import { fieldId } from '../../../shell/components/problems.ts'
import { SizeField } from '../../../shell/components/size-field.tsx'
import { WordsField } from '../../../shell/components/words-field.tsx'
import { titleFromName, shapeOf, titleOf, withoutNull, type Shape } from '../option-shape.ts'
import type { FieldProps, Options, WithForm } from './field-props.ts'
import { isHidden } from './hidden.ts'
import { RowsField } from './rows-field.tsx'
import { useScope } from './scope.ts'
import { widgetOf } from './widgets.ts'

const WIDE: readonly Shape['kind'][] = ['rows', 'condition', 'group', 'raw']

export function Field({ form, ...props }: FieldProps & WithForm) {
  const { schema, brief } = props
  const { dialog } = useScope()
  if (isHidden(schema.widget)) return null
  const widget = brief ? null : widgetOf(schema, dialog !== undefined)
  if (widget) {
    const { field: Drawn, wide } = widget
    return (
      <div className={wide ? 'wide' : undefined}>
        <Drawn {...props} />
      </div>
    )
  }
  const shape = shapeOf(schema)
  const beside = brief && shape.kind === 'condition'
  const wide = (WIDE.includes(shape.kind) && !beside) || (shape.kind === 'text' && shape.long)
  return (
    <div className={wide ? 'wide' : shape.kind === 'flag' ? 'lone' : undefined}>
      <FieldOf {...props} shape={shape} form={form} />
    </div>
  )
}

function FieldOf({ form: Form, ...props }: FieldProps & WithForm & { shape: Shape }) {
  const { shape, schema, value, onChange, path, problems } = props
  switch (shape.kind) {
    case 'flag':
      return <Flag {...props} />
    case 'choice':
      return <Choice {...props} values={shape.values} />
    case 'number':
      return <NumberOption {...props} shape={shape} />
    case 'words':
      return <Words {...props} values={shape.values} />
    case 'rows':
      return <RowsField {...props} item={shape.item} form={Form} />
    case 'condition':
      return (
        <FilterFields
          value={(value ?? {}) as Options}
          onChange={(next) => onChange(next)}
          path={path}
          problems={problems}
        />
      )
    case 'group':
      return (
        <fieldset className="group">
          <legend>{titleOf(schema, props.name)}</legend>
          <Form
            schema={withoutNull(schema).schema}
            value={(value ?? {}) as Options}
            onChange={onChange}
            path={path}
            problems={problems}
          />
        </fieldset>
      )
    case 'text':
      return (
        <TextField
          {...common(props)}
          placeholder={schema.placeholder}
          multiline={shape.long ? 3 : false}
          value={typeof value === 'string' ? value : ''}
          onChange={(text) => onChange(text === '' && !props.required ? undefined : text)}
        />
      )
    case 'raw':
      return <RawField {...common(props)} value={value} onChange={onChange} />
  }
}

/** The props of every field. */
const common = ({ name, schema, required, path, problems }: FieldProps) => ({
  id: fieldId(path),
  label: titleOf(schema, name),
  helpText: schema.description,
  error: problems.within(path),
  requiredIndicator: required,
})

const isOptional = ({ required, schema }: FieldProps) => !required && schema.default === undefined

function Flag(props: FieldProps) {
  const { value, onChange } = props
  const { id, label, helpText, error } = common(props)
  const rest = { id, label, helpText, error }
  if (!isOptional(props)) return <Checkbox {...rest} checked={value === true} onChange={onChange} />
  return (
    <Select
      {...rest}
      options={[
        { label: t('Leave unchanged'), value: '' },
        { label: t('On'), value: 'true' },
        { label: t('Off'), value: 'false' },
      ]}
      value={value === undefined ? '' : String(value === true)}
      onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
    />
  )
}

function Choice({ values, ...props }: FieldProps & { values: readonly string[] }) {
  const { value, onChange } = props
  const titles = new Map((props.schema.anyOf ?? []).map((part) => [part.const, part.title]))
  const labels = useScope().dialog ? (props.schema.choices ?? {}) : {}
  const free = isOptional(props) || value === undefined || value === ''
  return (
    <Select
      {...common(props)}
      options={[
        ...(free
          ? [{ label: props.required ? t('Choose') : t('Leave unchanged'), value: '' }]
          : []),
        ...values.map((one) => ({
          label: ownValue(labels, one) ?? titles.get(one) ?? titleFromName(one),
          value: one,
        })),
      ]}
      value={typeof value === 'string' ? value : ''}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  )
}

/** The label of null: by the plugin's widget, or by the option's usual meaning. */
const NONE: Record<string, string> = {
  never: t('Never'),
  unlimited: t('Unlimited'),
  none: t('None'),
  expiry_days: t('Never'),
  download_limit: t('Unlimited'),
}
const START: Record<string, number> = { expiry_days: 60, download_limit: 5 }

function NumberOption({
  shape,
  ...props
}: FieldProps & { shape: Extract<Shape, { kind: 'number' }> }) {
  const { name, schema, value, onChange } = props
  const { helpText, ...rest } = common(props)
  if (shape.bytes)
    return (
      <SizeField
        {...rest}
        help={helpText}
        bytes={value as number | undefined}
        onChange={onChange}
      />
    )
  return (
    <NumberField
      {...rest}
      // The choice for null explains what an empty field means.
      help={shape.none ? undefined : helpText}
      value={value as number | string | null | undefined}
      onChange={onChange}
      none={
        shape.none
          ? (ownValue(NONE, schema.widget ?? '') ?? ownValue(NONE, name) ?? t('None'))
          : undefined
      }
      start={ownValue(START, name) ?? shape.min ?? 1}
      optional={isOptional(props)}
      suffix={schema.suffix ?? (name.endsWith('_days') ? t('days') : undefined)}
      placeholder={isOptional(props) ? (schema.placeholder ?? t('Leave unchanged')) : undefined}
    />
  )
}

function Words({ values, ...props }: FieldProps & { values: readonly string[] | null }) {
  const { name, value, onChange } = props
  const { helpText, ...rest } = common(props)
  const optional = isOptional(props)
  const placeholder =
    props.schema.placeholder ?? (optional ? t('Leave unchanged') : t('Type and press Enter'))
  const own = {
    ...rest,
    help: helpText,
    placeholder,
    value: Array.isArray(value) ? value.map(String) : [],
    onChange: (next: string[]) => onChange(next.length === 0 && optional ? undefined : next),
  }
  if (name === 'tags') return <TagWords {...own} bare={props.brief} />
  return (
    <WordsField
      {...own}
      suggestions={values?.map((one) => ({ value: one, text: titleFromName(one) }))}
      read={asRead(values)}
    />
  )
}

const asRead = (values: readonly string[] | null) => (word: string) =>
  values ? titleFromName(word) : word

// A field for an option without any other widget: its value as JSON. Invalid JSON is passed on as
// typed.

interface Props {
  id: string
  label: string
  helpText?: string
  error?: string
  value: unknown
  onChange: (value: unknown) => void
}

function RawField({ value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState(() =>
    value === undefined ? '' : JSON.stringify(value, null, 2),
  )
  return (
    <TextField
      {...rest}
      multiline={4}
      monospaced
      value={typed}
      onChange={(text) => {
        setTyped(text)
        onChange(read(text))
      }}
    />
  )
}

function read(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
