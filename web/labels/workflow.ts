// How a workflow reads: what it runs on, its steps in a line, its plugins by kind, and the places
// in its form.
import { titleOf, withoutNull } from '../components/option-form/shape.ts'
import { type Plugin } from '../client/plugins.ts'
import {
  type ImportChannel,
  type JsonSchema,
  type OnFailure,
  type Workflow,
} from '../client/workflows.ts'

export const CHANNELS: Record<ImportChannel, string> = {
  api: 'API imports',
  csv: 'CSV imports',
  upload: 'Uploads',
  drop: 'Drop folder imports',
  cloud: 'Cloud sync',
}

/** `Selected files`, `CSV imports` */
export function runsOnText({ kind, channel }: Pick<Workflow, 'kind' | 'channel'>): string {
  if (kind === 'bulk') return 'Selected files'
  return channel === null ? 'Imports, not attached' : CHANNELS[channel]
}

export const stepsText = (steps: readonly { title: string }[]): string =>
  steps.map(({ title }) => title).join(' → ') || 'No steps'

const KINDS: readonly (readonly [Plugin['kind'], string])[] = [
  ['fetch', 'Fetch'],
  ['validate', 'Validate'],
  ['optimize', 'Optimize'],
  ['map', 'Map to products'],
  ['act', 'Change files'],
  ['notify', 'Tell someone'],
]

/** The plugins by kind, in the order in which the kinds usually follow each other. */
export const byKind = (plugins: readonly Plugin[]): { title: string; plugins: Plugin[] }[] =>
  KINDS.map(([kind, title]) => ({
    title,
    plugins: plugins.filter((plugin) => plugin.kind === kind),
  })).filter((group) => group.plugins.length > 0)

/** Why a plugin can't be a step of such a workflow; null where it can. */
export function unfitText(
  { works_on }: Pick<Plugin, 'works_on'>,
  kind: Workflow['kind'],
): string | null {
  if (works_on === 'rows') return 'Works on the rows of a CSV file only'
  if (kind === 'bulk') return works_on === 'imports' ? 'Works on imports only' : null
  return works_on !== null && works_on !== 'imports' ? 'Works on files that are already here' : null
}

export const FAILURE_POLICIES: Record<OnFailure, string> = {
  drop: 'Leave that file out, continue with the others',
  keep: 'Keep that file as it was, with a warning',
  stop: 'Stop the whole operation',
}

const PLACES: Record<string, string> = {
  name: 'Name',
  kind: 'Runs on',
  channel: 'Attached to',
  parallel: 'Order',
  steps: 'Steps',
}

/**
 * A place in the form, in words: `steps[1].options.rules[0].tags` → `Step 2, Tag by rule, Rules 1,
 * Tags`.
 */
export function workflowPlace(param: string, plugins: readonly (Plugin | undefined)[]): string {
  const [, index, rest = ''] = /^steps\[(\d+)\]\.?(.*)$/.exec(param) ?? []
  if (index === undefined) return PLACES[param.split(/[.[]/)[0]!] ?? ''
  const plugin = plugins[Number(index)]
  const [part, ...path] = segments(rest)
  const words = [`Step ${Number(index) + 1}`, plugin?.title]
  if (part === 'options') words.push(...optionPlace(path, plugin?.options))
  if (part === 'when') words.push('Only for some files')
  if (part === 'on_failure') words.push('If a file fails')
  return words.filter(Boolean).join(', ')
}

/** The titles on the way to one option. */
export function optionPlace(path: readonly string[], schema: JsonSchema | undefined): string[] {
  const [name, ...rest] = path
  if (name === undefined || !schema) return []
  const inner = withoutNull(schema).schema
  if (/^\d+$/.test(name)) return [String(Number(name) + 1), ...optionPlace(rest, inner.items)]
  const part = inner.properties?.[name]
  return part ? [titleOf(part, name), ...optionPlace(rest, part)] : []
}

export const segments = (path: string): string[] =>
  path.split(/[.[\]]+/).filter((part) => part !== '')
