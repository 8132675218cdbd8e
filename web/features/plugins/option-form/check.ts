// Checks options while they are typed, with messages for people; the server checks everything else.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { type FileFilter } from '../../../shell/client/types.ts'
import { type JsonSchema, type Objection } from '../../../shell/client/workflows.ts'
import { checkFilter } from '../../../shell/files/filter-check.ts'
import { isHidden } from './hidden.ts'
import { isRequired, shapeOf, withoutNull, type Shape } from '../option-shape.ts'
import { t } from '../../../shell/messages/t.ts'

/** Problems of one plugin's options; `path`: where they are in the body: `steps[2].options`. */
export function checkOptions(
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: string,
): Objection[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    checkValue(part, ownValue(value, name), `${path}.${name}`, isRequired(schema, name)),
  )
}

function checkValue(
  schema: JsonSchema,
  value: unknown,
  path: string,
  required: boolean,
): Objection[] {
  if (isHidden(schema.widget)) return []
  const shape = shapeOf(schema)
  const { schema: inner } = withoutNull(schema)
  const say = (message: string): Objection[] => [{ param: path, message }]
  const missing =
    schema.missing ??
    ownValue(MISSING, schema.widget ?? '') ??
    MISSING[shape.kind] ??
    t('Fill this in')
  if (value === undefined) return required && needsWord(shape) ? say(missing) : []
  if (schema.percent) return typeof value === 'number' ? [] : say(PERCENT_RULE)
  if (shape.kind === 'number') {
    if (value === null) return shape.none ? [] : say(numberRule(shape))
    return isNumberOf(shape, value) ? [] : say(numberRule(shape))
  }
  if (shape.kind === 'text' && typeof value === 'string')
    return required && value.trim() === '' ? say(missing) : checkText(inner, value, say)
  // The emptied first field of a choice.
  if (shape.kind === 'words' && value === '') return say(missing)
  if (shape.kind === 'words' && Array.isArray(value))
    return value.length < (inner.minItems ?? 0) ? say(missing) : []
  if (shape.kind === 'rows' && Array.isArray(value))
    return value.length < (inner.minItems ?? 0)
      ? say(t('Add at least one'))
      : value.flatMap((row, at) =>
          checkOptions(shape.item, row as Record<string, unknown>, `${path}[${at}]`),
        )
  if (shape.kind === 'condition') return checkFilter(value as FileFilter, path)
  if (shape.kind === 'group') return checkOptions(inner, value as Record<string, unknown>, path)
  if (shape.kind === 'raw' && typeof value === 'string' && isBroken(value))
    return say(t('This is not JSON'))
  return []
}

const PERCENT_RULE = t('Enter a whole number from 1 to 100')

/** The text for a missing value, by widget or kind. */
const MISSING: Readonly<Record<string, string>> = {
  product: t('Choose a product'),
  products: t('Choose a product'),
  pack: t('Choose a pack'),
  file: t('Choose a file'),
  words: t('Add at least one'),
  rows: t('Add at least one'),
  choice: t('Choose one'),
}

/** A flag that is not set is off. */
const needsWord = ({ kind }: Shape): boolean =>
  kind !== 'flag' && kind !== 'condition' && kind !== 'group'

function checkText(
  { minLength = 0, maxLength }: JsonSchema,
  value: string,
  say: (message: string) => Objection[],
) {
  if (value.trim().length < minLength) return say(t('Fill this in'))
  if (maxLength !== undefined && value.length > maxLength)
    return say(t('At most {maxLength, number} characters', { maxLength }))
  return []
}

type NumberShape = Extract<Shape, { kind: 'number' }>

function isNumberOf({ whole, min, max }: NumberShape, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
    return false
  return (min === null || value >= min) && (max === null || value <= max)
}

/** `Enter a whole number from 1 to 36,500` */
function numberRule({ whole, min, max }: NumberShape): string {
  return whole ? wholeNumberRule(min, max) : anyNumberRule(min, max)
}

function isBroken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

function wholeNumberRule(min: number | null, max: number | null): string {
  if (min !== null && max !== null)
    return t('Enter a whole number from {min, number} to {max, number}', { min, max })
  if (min !== null) return t('Enter a whole number from {min, number} up', { min })
  return max === null
    ? t('Enter a whole number')
    : t('Enter a whole number up to {max, number}', { max })
}

function anyNumberRule(min: number | null, max: number | null): string {
  if (min !== null && max !== null)
    return t('Enter a number from {min, number} to {max, number}', { min, max })
  if (min !== null) return t('Enter a number from {min, number} up', { min })
  return max === null ? t('Enter a number') : t('Enter a number up to {max, number}', { max })
}
