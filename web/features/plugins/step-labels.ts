// Texts about workflows: what they run on, their steps, plugins by kind, and places in the form.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { titleOf, withoutNull } from './option-shape.ts'
import { type Channel } from '../imports/channel-calls.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type JsonSchema, type OnFailure, type Workflow } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'

/** `Selected files`, `CSV imports` */
export function runsOnText(
  { kind, channel }: Pick<Workflow, 'kind' | 'channel'>,
  channels: readonly Channel[],
): string {
  if (kind === 'bulk') return t('Selected files')
  if (kind === 'delivery') return t('Deliveries')
  if (channel === null) return t('Imports, not attached')
  return channels.find(({ id }) => id === channel)?.imports?.plural ?? channel
}

export const stepsText = (steps: readonly { title: string }[]): string =>
  steps.map(({ title }) => title).join(' → ') || t('No steps')

const KINDS: readonly (readonly [Plugin['kind'], string])[] = [
  ['fetch', t('Fetch')],
  ['validate', t('Validate')],
  ['optimize', t('Optimize')],
  ['map', t('Map to products')],
  ['act', t('Change files')],
  ['notify', t('Notify')],
]

/** The kinds in the usual order of steps. */
export const KIND_ORDER = KINDS.map(([kind]) => kind)

/** The plugins by kind, in the usual order of steps. */
export const byKind = (plugins: readonly Plugin[]): { title: string; plugins: Plugin[] }[] =>
  KINDS.map(([kind, title]) => ({
    title,
    plugins: plugins.filter((plugin) => plugin.kind === kind),
  })).filter((group) => group.plugins.length > 0)

/** Why a plugin cannot be a step of such a workflow; null: it can. */
export function unfitText(
  { works_on }: Pick<Plugin, 'works_on'>,
  kind: Workflow['kind'],
): string | null {
  if (kind === 'delivery')
    return works_on === 'deliveries' ? null : t('Does not work on deliveries')
  if (works_on === 'deliveries') return t('Works on deliveries only')
  if (works_on === 'rows') return t('Works on the rows of a CSV file only')
  if (kind === 'bulk') return works_on === 'imports' ? t('Works on imports only') : null
  return works_on !== null && works_on !== 'imports'
    ? t('Works on files that are already here')
    : null
}

export const FAILURE_POLICIES: Record<OnFailure, string> = {
  drop: t('Skip the file and continue with the others'),
  keep: t('Keep the file unchanged, with a warning'),
  stop: t('Stop the whole operation'),
}

const PLACES: Record<string, string> = {
  name: t('Name'),
  kind: t('Runs on'),
  when: t('When'),
  enabled: t('On'),
  parallel: t('Order', {}, 'sequence'),
  steps: t('Steps'),
  if_not: t('If not'),
}

/**
 * A place in the form, in words: `steps[1].options.rules[0].tags` → `Step 2, Tag by rule, Rules 1,
 * Tags`.
 */
export function workflowPlace(param: string, plugins: readonly (Plugin | undefined)[]): string {
  const [, index, rest = ''] = /^steps\[(\d+)\]\.?(.*)$/.exec(param) ?? []
  if (index === undefined) return ownValue(PLACES, param.split(/[.[]/)[0]!) ?? ''
  const plugin = plugins[Number(index)]
  const [part, ...path] = segments(rest)
  const words = [t('Step {index}', { index: Number(index) + 1 }), plugin?.title]
  if (part === 'options') words.push(...optionPlace(path, plugin?.options))
  if (part === 'when') words.push(t('Only for some files'))
  if (part === 'branch') words.push(t('Branch'))
  if (part === 'on_failure') words.push(t('If a file fails'))
  if (part === 'tries') words.push(t('Tries'))
  if (part === 'pause') words.push(t('Pause between two tries'))
  return words.filter(Boolean).join(', ')
}

/** The titles on the path to one option. */
export function optionPlace(path: readonly string[], schema: JsonSchema | undefined): string[] {
  const [name, ...rest] = path
  if (name === undefined || !schema) return []
  const inner = withoutNull(schema).schema
  if (/^\d+$/.test(name)) return [String(Number(name) + 1), ...optionPlace(rest, inner.items)]
  const part = ownValue(inner.properties, name)
  return part ? [titleOf(part, name), ...optionPlace(rest, part)] : []
}

export const segments = (path: string): string[] =>
  path.split(/[.[\]]+/).filter((part) => part !== '')
