// Secret options of plugins, such as the password of a document: those that the schema marks as
// `sensitive`. They cannot be read again after they were given.
import { z } from 'zod'
import type { Plugin } from '../../plugins/contract/index.ts'

const known = new WeakMap<Plugin, readonly string[]>()

/** The names of a plugin’s options that are sealed in rows and left out of answers. */
export function sensitiveOptions(plugin: Plugin): readonly string[] {
  const names = known.get(plugin) ?? namesIn(plugin.options)
  known.set(plugin, names)
  return names
}

/** A secret option, and the code of the failures that another value of it may mend. */
export interface MendingOption {
  name: string
  title: string
  mends: string
}

/** The secret options that a retry may give: those whose schema says what they mend. */
export const mendingOptions = (plugin: Plugin): MendingOption[] =>
  Object.entries(propertiesOf(plugin.options)).flatMap(([name, property]) =>
    typeof property === 'object' && typeof property.mends === 'string'
      ? [{ name, title: property.title ?? name, mends: property.mends }]
      : [],
  )

const propertiesOf = (options: z.ZodType) =>
  z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' }).properties ?? {}

function namesIn(options: z.ZodType): string[] {
  return Object.entries(propertiesOf(options)).flatMap(([name, property]) =>
    typeof property === 'object' && property.sensitive === true ? [name] : [],
  )
}

/** The options that anyone may see. */
export function withoutSensitive(
  plugin: Plugin,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const hidden = sensitiveOptions(plugin)
  return Object.fromEntries(Object.entries(options).filter(([name]) => !hidden.includes(name)))
}
