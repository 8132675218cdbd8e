// What can be said of an option as it is typed, in words for a person; the server has the last word
// on everything else.
import { type FileFilter } from '../../client/types.ts'
import { type JsonSchema, type Objection } from '../../client/workflows.ts'
import { numberText } from '../../labels/size.ts'
import { checkFilter } from '../filter-check.ts'
import { isHidden } from './hidden.ts'
import { isRequired, shapeOf, withoutNull, type Shape } from './shape.ts'

/**
 * Objections to the options of one plugin; `path` is where they stand in the body:
 * `steps[2].options`.
 */
export function checkOptions(
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: string,
): Objection[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    checkValue(part, value[name], `${path}.${name}`, isRequired(schema, name)),
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
    schema.missing ?? MISSING[schema.widget ?? ''] ?? MISSING[shape.kind] ?? 'Fill this in'
  if (value === undefined) return required && needsWord(shape) ? say(missing) : []
  if (schema.percent) return typeof value === 'number' ? [] : say(PERCENT_RULE)
  if (shape.kind === 'number') {
    if (value === null) return shape.none ? [] : say(numberRule(shape))
    return isNumberOf(shape, value) ? [] : say(numberRule(shape))
  }
  if (shape.kind === 'text' && typeof value === 'string')
    return required && value.trim() === '' ? say(missing) : checkText(inner, value, say)
  if (shape.kind === 'words' && Array.isArray(value))
    return value.length < (inner.minItems ?? 0) ? say(missing) : []
  if (shape.kind === 'rows' && Array.isArray(value))
    return value.length < (inner.minItems ?? 0)
      ? say('Add at least one')
      : value.flatMap((row, at) =>
          checkOptions(shape.item, row as Record<string, unknown>, `${path}[${at}]`),
        )
  if (shape.kind === 'condition') return checkFilter(value as FileFilter, path)
  if (shape.kind === 'group') return checkOptions(inner, value as Record<string, unknown>, path)
  if (shape.kind === 'raw' && typeof value === 'string' && isBroken(value))
    return say('This is not JSON')
  return []
}

const PERCENT_RULE = 'Write a whole number from 1 to 100'

/** By widget or kind. */
const MISSING: Readonly<Record<string, string>> = {
  product: 'Choose a product',
  products: 'Choose a product',
  pack: 'Choose a pack',
  file: 'Choose a file',
  words: 'Add at least one',
  rows: 'Add at least one',
  choice: 'Choose one',
}

/** A flag that is not set is off. */
const needsWord = ({ kind }: Shape): boolean =>
  kind !== 'flag' && kind !== 'condition' && kind !== 'group'

function checkText(
  { minLength = 0, maxLength }: JsonSchema,
  value: string,
  say: (message: string) => Objection[],
) {
  if (value.trim().length < minLength) return say('Fill this in')
  if (maxLength !== undefined && value.length > maxLength)
    return say(`At most ${numberText(maxLength)} characters`)
  return []
}

type NumberShape = Extract<Shape, { kind: 'number' }>

function isNumberOf({ whole, min, max }: NumberShape, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
    return false
  return (min === null || value >= min) && (max === null || value <= max)
}

/** `Write a whole number from 1 to 36,500` */
export function numberRule({ whole, min, max }: NumberShape): string {
  const what = whole ? 'a whole number' : 'a number'
  if (min !== null && max !== null)
    return `Write ${what} from ${numberText(min)} to ${numberText(max)}`
  if (min !== null) return `Write ${what} from ${numberText(min)} up`
  return max === null ? `Write ${what}` : `Write ${what} up to ${numberText(max)}`
}

function isBroken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}
