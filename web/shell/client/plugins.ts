// Plugins from GET /api/plugins: options, entries in menus with their texts, and forms.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { useQuery } from '@tanstack/react-query'
import { mapTexts } from '../messages/map-texts.ts'
import { translated } from '../messages/t.ts'
import { call } from './client.ts'
import { type Answer } from './endpoints.ts'
import { type JsonSchema, type Plugin, type Schemas } from './types.ts'

export type { Plugin } from './types.ts'

export type PluginAction = Schemas['PluginAction']
/** ICU messages with `count`, the options and facts as arguments (see the API's description). */
export type ActionLabels = PluginAction['labels']
export type ActionPlace = PluginAction['fits']['places'][number]
export type FitRule = PluginAction['fits']['rules'][number]
/** Conditions on one selected file. Every given condition must hold. */
export type FileTest = NonNullable<PluginAction['fits']['noun']>['files']

/** A decision that is shown instead of several options. */
export type Alternative = Schemas['Plugin']['alternatives'][number]
/** The first of its fields must be given. */
export type AlternativeChoice = Alternative['choices'][number]

export type PluginList = Answer<'GET /api/plugins'>

export const pluginsQuery = {
  queryKey: ['plugins'],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    mapTexts(await call('GET /api/plugins', { signal }), translated),
  staleTime: Infinity,
}

/** @param enabled false: they are not asked for yet. */
export const usePlugins = (enabled = true) => useQuery({ ...pluginsQuery, enabled })

/** An entry of a menu, with its plugin. */
export interface Entry {
  plugin: Plugin
  action: PluginAction
}

/** The entries that the plugins’ actions have in menus, in the order of the plugins. */
export const entriesOf = (plugins: readonly Plugin[]): Entry[] =>
  plugins.flatMap((plugin) => plugin.actions.map((action) => ({ plugin, action })))

/** The options that an entry's form shows, with their schemas. */
export function fieldsOf({ plugin, action }: Entry): [name: string, schema: JsonSchema][] {
  const all = plugin.options.properties ?? {}
  const names = action.fields ?? Object.keys(all)
  return names.flatMap((name): [string, JsonSchema][] => {
    const schema = ownValue(all, name)
    return schema ? [[name, schema]] : []
  })
}

/** The first entry whose form has such a widget, with the name of the option. */
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

/** The first entry of this action. */
export const findByAction = (plugins: readonly Plugin[], id: string): Entry | undefined =>
  entriesOf(plugins).find(({ plugin }) => plugin.id === id)

/** The first entry whose dialog has this body of its form. */
export const findByBody = (plugins: readonly Plugin[], body: string): Entry | undefined =>
  entriesOf(plugins).find(({ action }) => action.body === body)
