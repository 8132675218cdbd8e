// The actions of this installation, for the plugin that reports how an operation ended.
import { actionsOf, adviceOf, type Actions, type Plugin, ownValue } from '../../plugins/contract.ts'

export function createActions(plugins: readonly Plugin[]): Actions {
  const byId = new Map(plugins.map((plugin) => [plugin.id, plugin]))
  const advice: Record<string, string> = Object.assign({}, ...plugins.toReversed().map(adviceOf))
  return {
    find: (id) => {
      const plugin = byId.get(id)
      const [action] = plugin ? actionsOf(plugin) : []
      if (!plugin || !action) return null
      return { result: action.labels.result, report: plugin.report ?? {}, advice: adviceOf(plugin) }
    },
    adviceFor: (code) => ownValue(advice, code) ?? null,
  }
}
