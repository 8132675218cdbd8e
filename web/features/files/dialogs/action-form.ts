// The form of a plugin's action: its initial values, its problems, and the options that are sent.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { type Alternative, type Entry, fieldsOf } from '../../../shell/client/plugins.ts'
import { type JsonSchema, type Objection } from '../../../shell/client/workflows.ts'
import {
  chosenAt,
  withChoice,
  isEmpty,
  optionsOf,
  startValue,
  usualAt,
} from '../../plugins/option-form/alternatives.ts'
import { checkOptions } from '../../plugins/option-form/check.ts'
import { isHidden } from '../../plugins/option-form/hidden.ts'
import { shapeOf, withoutNull } from '../../plugins/option-shape.ts'

export type Options = Record<string, unknown>

/** The decisions of the plugin's form about options that this entry shows. */
export function alternativesOf(entry: Entry): Alternative[] {
  const names = fieldsOf(entry).map(([name]) => name)
  return entry.plugin.alternatives.filter((one) =>
    optionsOf(one).every((name) => names.includes(name)),
  )
}

/** The initial values of the form. */
export function initialOptions(entry: Entry): Options {
  const schemas = entry.plugin.options.properties ?? {}
  const decisions = alternativesOf(entry)
  const decided = new Set(decisions.flatMap(optionsOf))
  const own = fieldsOf(entry).flatMap(([name, schema]): [string, unknown][] => {
    const start = startValue(schema) ?? (isList(schema) && isRequired(entry, name) ? [] : undefined)
    return decided.has(name) || start === undefined ? [] : [[name, start]]
  })
  return decisions.reduce(
    (options, one) => withChoice(one, usualAt(one), options, schemas),
    Object.fromEntries(own) as Options,
  )
}

const isList = (schema: JsonSchema): boolean => ['words', 'rows'].includes(shapeOf(schema).kind)

const isRequired = ({ plugin, action }: Entry, name: string): boolean =>
  action.required.includes(name) || (plugin.options.required ?? []).includes(name)

/** Problems of the form's present values. */
export function checkForm(entry: Entry, value: Options): Objection[] {
  const schemas = entry.plugin.options.properties ?? {}
  const decisions = alternativesOf(entry)
  const decided = new Set(decisions.flatMap(optionsOf))
  const choices = decisions.map((one) => one.choices[chosenAt(one, value)]!)
  const free = fieldsOf(entry).flatMap(([name]) =>
    decided.has(name) || isHidden(ownValue(schemas, name)!.widget) ? [] : [name],
  )
  const must = new Set([
    ...free.filter((name) => isRequired(entry, name)),
    ...choices.flatMap(({ fields }) => fields.slice(0, 1)),
  ])
  const shown = [...free, ...choices.flatMap(({ fields }) => fields)]
  const properties = Object.fromEntries(
    shown.map((name) => [
      name,
      schemaOf(ownValue(schemas, name)!, must.has(name) || decided.has(name)),
    ]),
  )
  const given = Object.entries(value).filter(
    ([name, one]) => !(one === '' && isList(ownValue(properties, name) ?? {})),
  )
  return [
    ...checkOptions(
      { type: 'object', properties, required: [...must] },
      Object.fromEntries(given),
      'options',
    ),
    ...neededOptions(entry, value),
  ]
}

/**
 * Without null, which is a separate choice, and without a default if the option is required here.
 */
function schemaOf(schema: JsonSchema, must: boolean): JsonSchema {
  if (!must) return schema
  const { schema: inner } = withoutNull(schema)
  return { ...inner, ...schema, anyOf: inner.anyOf, default: undefined }
}

/** Options that are empty, but needed with the present values of others. */
function neededOptions(entry: Entry, value: Options): Objection[] {
  return fieldsOf(entry).flatMap(([name, { needed }]) =>
    needed &&
    isEmpty(ownValue(value, name)) &&
    Object.entries(needed.when).every(([other, wanted]) => ownValue(value, other) === wanted)
      ? [{ param: `options.${name}`, message: needed.text }]
      : [],
  )
}

/** The question that the present values need, as messages. */
export function confirmationOf(
  entry: Entry,
  value: Options,
): { text: string; button: string } | null {
  const found = fieldsOf(entry).find(([name, { confirm }]) =>
    confirm?.when.includes(ownValue(value, name)),
  )
  return found?.[1].confirm ?? null
}

/** The options in the form in which they are sent. */
export const sentOptions = ({ action }: Entry, value: Options): Options => ({
  ...Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)),
  ...action.preset,
})

/** Can it run with its initial values? */
export function runsAsItIs(entry: Entry): boolean {
  const { plugin, action } = entry
  const { options } = plugin
  const value = initialOptions(entry)
  return (
    action.body === null &&
    !action.destructive &&
    !action.fits.places.includes('trash') &&
    Object.keys(value).length >= (options.minProperties ?? 0) &&
    checkForm(entry, value).length === 0
  )
}
