// What GET /api/plugins says of each plugin: its options, its entries in menus with their texts,
// and its form.
import { useQuery } from '@tanstack/react-query'
import { mapTexts } from '../messages/map-texts.ts'
import { translated } from '../messages/t.ts'
import { call } from './client.ts'
import { type JsonSchema } from './workflows.ts'

export type ActionPlace = 'files' | 'trash' | 'list'

/** What is asked of one selected file. Every part that is given must hold. */
export interface FileTest {
  /** Lower case, without a dot. */
  extensions?: readonly string[]
  mapped?: true
  tagged?: true
  /** Has a tag with capital letters. */
  capitals?: true
}

export type FitRule =
  | { rule: 'some'; files: FileTest; least?: number; why: string }
  | { rule: 'every'; files: FileTest; why: string }
  /** The files must be ticked one by one, at most so many. */
  | { rule: 'ticked'; most: number; why: string }

/**
 * Those named in the comment are ICU messages of `count`, the options and facts about the
 * selection.
 */
export interface ActionLabels {
  action: string
  menu: string
  /** ICU, as are all up to `skipped`, `intro` and `note`. */
  title: string
  button: string
  running: string
  done: string
  preview: string
  skipped: string
  result: string
  intro: string | null
  note: string | null
}

export interface PluginAction {
  id: string
  group: string
  labels: ActionLabels
  /** A button beside the menu. */
  promoted: boolean
  fits: {
    places: readonly ActionPlace[]
    rules: readonly FitRule[]
    noun: { one: string; many: string; files: FileTest } | null
  }
  preview: 'exact' | 'estimate' | 'none'
  preview_required: 'always' | 'filter' | null
  destructive: boolean
  warning: { tone: 'warning' | 'critical'; title: string; text: string } | null
  /** The options that its form shows; null: all that have a field. */
  fields: readonly string[] | null
  /** Options that must be given here, though the plugin can do without. */
  required: readonly string[]
  preset: Record<string, unknown>
  /** The name of a dialog body that is written by hand. */
  body: string | null
}

/** One decision that takes the place of several options. */
export interface Alternative {
  title: string
  /** Absent: radio buttons. */
  as?: 'select'
  choices: readonly AlternativeChoice[]
}

export interface AlternativeChoice {
  label: string
  help?: string
  /** The first of them must be given. */
  fields: readonly string[]
  /** What its fields are called beside this choice, where that is shorter than their own titles. */
  titles?: Readonly<Record<string, string>>
  set?: Readonly<Record<string, unknown>>
}

export interface Plugin {
  id: string
  kind: 'fetch' | 'validate' | 'optimize' | 'map' | 'act' | 'notify'
  title: string
  works_on: 'imports' | 'files' | 'trash' | 'all' | 'rows' | null
  scope: 'items' | 'operation'
  undo: 'fields' | 'none'
  /** What someone must be allowed to do who runs it, where that is more than changing files. */
  permission: 'files:read' | 'files:delete' | 'files:purge' | 'links:write' | null
  options: JsonSchema
  touches_bytes: boolean
  actions: readonly PluginAction[]
  alternatives: readonly Alternative[]
  makes_files: boolean
  /** By error code: the next step. */
  advice: Readonly<Record<string, string>>
}

export interface PluginList {
  data: Plugin[]
  /** Actions in the history that a channel starts: they are in no menu. */
  channel_actions: readonly { id: string; title: string }[]
  /** The sections of the menu, in order. */
  groups: readonly { id: string; title: string }[]
}

export const pluginsQuery = {
  queryKey: ['plugins'],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    mapTexts(await call<PluginList>('/api/plugins', { signal }), translated),
  staleTime: Infinity,
}

export const usePlugins = () => useQuery(pluginsQuery)

/** An entry of a menu, and the plugin that does it. */
export interface Entry {
  plugin: Plugin
  action: PluginAction
}

export const entriesOf = (plugins: readonly Plugin[]): Entry[] =>
  plugins.flatMap((plugin) => plugin.actions.map((action) => ({ plugin, action })))

/** The options that an entry's form shows, with their schemas. */
export function fieldsOf({ plugin, action }: Entry): [name: string, schema: JsonSchema][] {
  const all = plugin.options.properties ?? {}
  const names = action.fields ?? Object.keys(all)
  return names.flatMap((name) => (all[name] ? [[name, all[name]]] : []))
}

/** The first entry whose form has such a widget, with the name of that option. */
export function findByWidget(
  plugins: readonly Plugin[],
  widget: string,
): (Entry & { option: string }) | undefined {
  for (const entry of entriesOf(plugins)) {
    const field = fieldsOf(entry).find(([, schema]) => schema.widget === widget)
    if (field) return { ...entry, option: field[0] }
  }
  return undefined
}

export const findByBody = (plugins: readonly Plugin[], body: string): Entry | undefined =>
  entriesOf(plugins).find(({ action }) => action.body === body)
