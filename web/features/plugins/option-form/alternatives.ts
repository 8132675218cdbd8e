// One decision instead of several options. The current choice is derived from the options alone, so
// that a form has one state: a choice with fields is current while its first field is set, even to
// an empty text.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import {
  type Alternative,
  type AlternativeChoice,
  type Plugin,
} from '../../../shell/client/plugins.ts'
import { type JsonSchema } from '../../../shell/client/workflows.ts'

type Options = Readonly<Record<string, unknown>>
type Schemas = Readonly<Record<string, JsonSchema>>

/** The options that belong to the alternative. */
export const optionsOf = ({ choices }: Alternative): string[] => [
  ...new Set(choices.flatMap(({ fields, set }) => [...fields, ...Object.keys(set ?? {})])),
]

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The index of the choice that these options represent. */
export function chosenAt({ choices }: Alternative, value: Options): number {
  const isFilled = ({ fields }: AlternativeChoice) =>
    fields[0] !== undefined && ownValue(value, fields[0]) !== undefined
  const isSet = ({ set }: AlternativeChoice) =>
    set !== undefined &&
    Object.entries(set).every(([name, wanted]) => same(ownValue(value, name), wanted))
  // Choices that set the same differ in their first fields.
  const both = choices.findIndex((choice) => isSet(choice) && isFilled(choice))
  const sets = both >= 0 ? both : choices.findIndex(isSet)
  if (sets >= 0) return sets
  const filled = choices.findIndex((choice) => !choice.set && isFilled(choice))
  return filled >= 0 ? filled : plainAt({ choices })
}

/** The choice without its own options, or the first one. */
const plainAt = ({ choices }: Pick<Alternative, 'choices'>): number =>
  Math.max(
    0,
    choices.findIndex(({ fields, set }) => fields.length === 0 && !set),
  )

/** The initial choice: the one that the shop's settings make usual, or the plain one. */
export const usualAt = ({ choices }: Pick<Alternative, 'choices'>): number => {
  const usual = choices.findIndex((choice) => choice.usual)
  return usual >= 0 ? usual : plainAt({ choices })
}

/**
 * The options after this choice: without those of other choices, its own with their schemas'
 * initial values.
 */
export function withChoice(
  alternative: Alternative,
  at: number,
  value: Options,
  schemas: Schemas,
): Record<string, unknown> {
  const decided = optionsOf(alternative)
  const kept = Object.entries(value).filter(([name]) => !decided.includes(name))
  return { ...Object.fromEntries(kept), ...startOf(alternative.choices[at]!, schemas) }
}

function startOf(
  { fields, set = {} }: AlternativeChoice,
  schemas: Schemas,
): Record<string, unknown> {
  const starts = fields.map((name, at): [string, unknown] => [
    name,
    startValue(ownValue(schemas, name)) ?? (at === 0 ? '' : undefined),
  ])
  return { ...Object.fromEntries(starts.filter(([, start]) => start !== undefined)), ...set }
}

/** The initial options of a form: each decision at its usual choice. */
export const startOptions = (plugin: Pick<Plugin, 'alternatives' | 'options'>) =>
  plugin.alternatives.reduce<Record<string, unknown>>(
    (options, one) => withChoice(one, usualAt(one), options, plugin.options.properties ?? {}),
    {},
  )

export const startValue = (schema: JsonSchema | undefined): unknown =>
  schema?.start ?? schema?.default

/** Sets a field of a choice. An emptied first field stays set, so that the choice stays current. */
export const withField = (choice: AlternativeChoice, name: string, next: unknown): unknown =>
  choice.fields[0] === name && isEmpty(next) ? '' : next

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)
