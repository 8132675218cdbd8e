// The position of a mark on a page, with a sketch of the page.
import { ownValue } from '../../../../../plugins/_page/own-value.ts'
import { Select } from '../../../../shell/ui/index.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { useScope } from '../scope.ts'
import { titleFromName, titleOf } from '../../option-shape.ts'
import './page-position.css'
import { t } from '../../../../shell/messages/t.ts'

const LINES = 9

/** The sketch uses the options `text`, `picture` and `opacity` if the form has them. */
export function PagePosition({ name, schema, value, onChange, path, problems }: FieldProps) {
  const { values } = useScope()
  const position = typeof value === 'string' ? value : ''
  const { choices = {}, samples = {} } = schema
  const text = sampleOf(values.text, samples)
  return (
    <div className="position">
      <Select
        id={fieldId(path)}
        label={titleOf(schema, name)}
        error={problems.within(path)}
        helpText={
          typeof text === 'string' && text !== values.text
            ? t('For example: {text}', { text })
            : undefined
        }
        options={(schema.enum ?? [])
          .map(String)
          .map((one) => ({ value: one, label: ownValue(choices, one) ?? titleFromName(one) }))}
        value={position}
        onChange={onChange}
      />
      <SmallPage position={position} {...values} text={text} />
    </div>
  )
}

/** The text with samples instead of the values that only a delivery has. */
const sampleOf = (text: unknown, samples: NonNullable<FieldProps['schema']['samples']>): unknown =>
  typeof text === 'string'
    ? Object.entries(samples).reduce(
        (shown, [part, sample]) => shown.replaceAll(part, () => sample),
        text,
      )
    : text

interface SketchProps {
  position: string
  text?: unknown
  picture?: unknown
  opacity?: unknown
}

/** A sketch: in the document the letters may have another size. */
function SmallPage({ position, text, picture, opacity }: SketchProps) {
  const kind = picture === undefined ? 'text' : 'picture'
  const words = typeof text === 'string' && text.trim() !== '' ? text.trim() : t('Text')
  const strength = typeof opacity === 'number' ? Math.max(0.05, opacity) : 0.3
  return (
    <div className="small-page" aria-hidden="true">
      {Array.from({ length: LINES }, (_, line) => (
        <span key={line} className="small-line" />
      ))}
      <span className={`small-mark ${position} ${kind}`} style={{ opacity: strength }}>
        {kind === 'text' ? words : t('Image')}
      </span>
    </div>
  )
}
