// One decision that takes the place of several options. Which choice is made is read from the
// options alone, so that a form has one state: a choice with fields is made while its first field
// is set, if only to an empty text.
import { type Alternative, type AlternativeChoice, type Plugin } from '../../client/plugins.ts'
import { type JsonSchema } from '../../client/workflows.ts'

type Options = Readonly<Record<string, unknown>>
type Schemas = Readonly<Record<string, JsonSchema>>

/** The options that the alternative decides about. */
export const optionsOf = ({ choices }: Alternative): string[] => [
  ...new Set(choices.flatMap(({ fields, set }) => [...fields, ...Object.keys(set ?? {})])),
]

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The number of the choice that these options make. */
export function chosenAt({ choices }: Alternative, value: Options): number {
  const sets = choices.findIndex(
    ({ set }) => set && Object.entries(set).every(([name, wanted]) => same(value[name], wanted)),
  )
  if (sets >= 0) return sets
  const filled = choices.findIndex(
    ({ fields, set }) => !set && fields[0] !== undefined && value[fields[0]] !== undefined,
  )
  return filled >= 0 ? filled : usualAt({ choices })
}

/** The choice that leaves all to the plugin, or the first. */
export const usualAt = ({ choices }: Pick<Alternative, 'choices'>): number =>
  Math.max(
    0,
    choices.findIndex(({ fields, set }) => fields.length === 0 && !set),
  )

/**
 * The options once this choice is made: those of the others are gone, its own begin with what their
 * schemas say.
 */
export function choose(
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
    startValue(schemas[name]) ?? (at === 0 ? '' : undefined),
  ])
  return { ...Object.fromEntries(starts.filter(([, start]) => start !== undefined)), ...set }
}

/** What the options of a form begin with: each decision at its usual choice. */
export const startOptions = (plugin: Pick<Plugin, 'alternatives' | 'options'>) =>
  plugin.alternatives.reduce<Record<string, unknown>>(
    (options, one) => choose(one, usualAt(one), options, plugin.options.properties ?? {}),
    {},
  )

export const startValue = (schema: JsonSchema | undefined): unknown =>
  schema?.start ?? schema?.default

/** A field of a choice that was emptied: its first one stays set, so that the choice stays made. */
export const withField = (choice: AlternativeChoice, name: string, next: unknown): unknown =>
  choice.fields[0] === name && isEmpty(next) ? '' : next

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)
