// A list of objects with fields, such as rules: add, remove, and a form for each.
import { type JsonSchema } from '../../../shell/client/workflows.ts'
import { CriticalButton } from '../../../shell/components/critical-button.tsx'
import { Button, Hint, InlineError, PlusIcon, Text } from '../../../shell/ui/index.ts'
import { fieldId, type Problems } from '../../../shell/components/problems.ts'
import { emptyOf, titleOf } from '../option-shape.ts'
import { inSentence } from '../../../shell/labels/size.ts'
import { t } from '../../../shell/messages/t.ts'
import { type WithForm } from './field-props.ts'

type Row = Record<string, unknown>

interface Props extends WithForm {
  name: string
  schema: JsonSchema
  item: JsonSchema
  value: unknown
  onChange: (rows: Row[]) => void
  path: string
  problems: Problems
}

export function RowsField(props: Props) {
  const { name, schema, item, value, onChange, path, problems, form: Form } = props
  const rows = Array.isArray(value) ? (value as Row[]) : []
  const title = titleOf(schema, name)
  const one = item.title ?? title.replace(/s$/, '')
  const error = problems.at(path)
  return (
    <div className="rows" role="group" aria-label={title}>
      <div>
        <Text as="h3" variant="bodyMd" fontWeight="medium">
          {title}
        </Text>
        {schema.description && <Hint>{schema.description}</Hint>}
      </div>
      {rows.map((row, at) => (
        <fieldset key={at} className="group" tabIndex={-1} id={fieldId(`${path}[${at}]`)}>
          <legend>
            {one} {at + 1}
          </legend>
          <Form
            schema={item}
            value={row}
            onChange={(next) => onChange(rows.map((other, index) => (index === at ? next : other)))}
            path={`${path}[${at}]`}
            problems={problems}
            brief
          />
          <div className="row-foot">
            <CriticalButton
              label={t('Remove {one} {at}', { one: inSentence(one), at: at + 1 })}
              onClick={() => onChange(rows.filter((_, index) => index !== at))}
              text={t('Remove')}
            />
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          id={fieldId(path)}
          icon={PlusIcon}
          onClick={() => onChange([...rows, emptyOf(item)])}
        >
          {t('Add {one}', { one: inSentence(one) })}
        </Button>
      </div>
      {error && <InlineError message={error} fieldID={fieldId(path)} />}
    </div>
  )
}
