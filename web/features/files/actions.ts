// The menus of the list of files, from the plugins of this installation.
import {
  type ActionPlace,
  type Entry,
  entriesOf,
  type PluginList,
} from '../../shell/client/plugins.ts'

/** `workflow`: the page's own entry, which runs any workflow. */
export type MenuEntry = Entry | 'workflow'

export interface ActionMenu {
  /** Buttons next to the menu. */
  promoted: readonly MenuEntry[]
  groups: readonly { title: string; entries: readonly Entry[] }[]
}

const EMPTY: PluginList = { data: [], next_cursor: null, channel_actions: [], groups: [] }

export const entriesAt = (list: PluginList | undefined, place: ActionPlace): Entry[] =>
  entriesOf((list ?? EMPTY).data).filter(({ action }) => action.fits.places.includes(place))

export function menuOf(list: PluginList | undefined, place: 'files' | 'trash'): ActionMenu {
  const entries = entriesAt(list, place)
  const promoted: readonly MenuEntry[] = entries.filter(({ action }) => action.promoted)
  const groups = (list ?? EMPTY).groups.map(({ id, title }) => ({
    title,
    entries: entries.filter(({ action }) => !action.promoted && action.group === id),
  }))
  return {
    promoted: place === 'files' ? withWorkflow(promoted) : promoted,
    groups: groups.filter((group) => group.entries.length > 0),
  }
}

/** Inserts the action that runs a workflow before the first destructive one. */
function withWorkflow(promoted: readonly MenuEntry[]): MenuEntry[] {
  const at = promoted.findIndex((entry) => entry !== 'workflow' && entry.action.destructive)
  return at < 0
    ? [...promoted, 'workflow']
    : [...promoted.slice(0, at), 'workflow', ...promoted.slice(at)]
}
