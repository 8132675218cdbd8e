// Which of a plugin's options nobody is to read again once they are given, like the password of a
// document: those that its schema marks as `sensitive`.
import { z } from 'zod'
import type { Plugin } from '../plugins/contract.ts'

const known = new WeakMap<Plugin, readonly string[]>()

export function sensitiveOptions(plugin: Plugin): readonly string[] {
  const names = known.get(plugin) ?? namesIn(plugin.options)
  known.set(plugin, names)
  return names
}

function namesIn(options: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).flatMap(([name, property]) =>
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
