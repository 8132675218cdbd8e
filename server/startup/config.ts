// The configuration of an installation, and its check at the start: an unknown plugin, a missing
// option or a duplicate id is refused when the server starts, not when it is first used.
import { actionsOf, type Plugin, type Workflow } from '../../plugins/contract/index.ts'
import { ConfigError } from '../core/config-error.ts'
import type { Environment } from '../core/configuration/environment.ts'
import { DEFAULT_LIMITS, type Limits } from '../core/configuration/limits.ts'
import { planProblems, type Plans } from '../core/configuration/plan-list.ts'
import type { DirectUploads, Storage } from '../core/configuration/storage-settings.ts'
import { configuredProblems, type ConfiguredWorkflows } from '../features/workflows/configured.ts'

export interface Config extends ConfiguredWorkflows {
  environment: Environment
  storage: Storage
  limits: Limits
  /** The plans that shops pay for; null: nothing requires a plan. */
  plans: Plans | null
  /** The uploads whose bytes browsers send straight to the bucket; null: none. */
  directUploads: DirectUploads | null
}

/** Fills in the defaults and checks that everything that is named exists. Throws `ConfigError`. */
export function defineConfig(
  config: Omit<Config, 'limits' | 'channels' | 'plans' | 'directUploads'> & {
    limits?: Partial<Limits>
    channels?: Config['channels']
    plans?: Plans | null
    directUploads?: DirectUploads | null
  },
): Config {
  const workflows = [...config.workflows, ...impliedActions(config.plugins, config.workflows)]
  const { channels = [], limits, plans = null, directUploads = null } = config
  const allLimits = { ...DEFAULT_LIMITS, ...limits }
  const whole: Config = {
    ...config,
    workflows,
    channels,
    plans,
    directUploads,
    limits: allLimits,
  }
  const problems = [
    ...duplicateIds('plugin', whole.plugins),
    ...duplicateIds('workflow', whole.workflows),
    ...duplicateIds('channel', whole.channels),
    ...configuredProblems(whole),
    ...(plans ? planProblems(plans) : []),
    ...(directUploads ? directProblems(directUploads, config) : []),
    ...Object.entries(whole.limits)
      .filter(([, value]) => !(Number.isFinite(value) && value > 0))
      .map(([name]) => `limits.${name}: set a number above 0`),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return whole
}

function directProblems(
  { min_bytes, piece_bytes = 1 }: DirectUploads,
  { environment, storage }: Pick<Config, 'environment' | 'storage'>,
): string[] {
  return [
    ...Object.entries({ min_bytes, piece_bytes })
      .filter(([, value]) => !(Number.isSafeInteger(value) && value > 0))
      .map(([name]) => `directUploads.${name}: set a number of bytes above 0`),
    ...(storage.primary.kind === 's3' && environment.uploadDir === null
      ? []
      : ['directUploads: needs a bucket as STORAGE_PRIMARY, and no UPLOAD_DIR']),
  ]
}

/**
 * The workflows of actions: each plugin with an entry in a menu is an action under its own id, and
 * gets this workflow unless there is one of that id.
 */
function impliedActions(plugins: readonly Plugin[], workflows: readonly Workflow[]): Workflow[] {
  const canNotify = plugins.some(({ id }) => id === 'notify')
  return plugins
    .filter(({ id }) => !workflows.some((one) => one.id === id))
    .flatMap((plugin) => {
      const [action] = actionsOf(plugin)
      return action ? [impliedBy(plugin, action.labels.action, canNotify)] : []
    })
}

function impliedBy(plugin: Plugin, title: string, canNotify: boolean): Workflow {
  const { id, report: { when = 'background' } = {} } = plugin
  const notify = { id: 'notify', plugin: 'notify', options: { when } }
  const inOrder = plugin.scope === 'operation' || plugin.ordered || plugin.sequential
  return {
    id,
    title,
    action: id,
    kind: 'bulk',
    parallel: inOrder ? 1 : 2,
    steps: [{ id: 'act', plugin: id }, ...(canNotify ? [notify] : [])],
  }
}

function duplicateIds(what: string, list: readonly { id: string }[]): string[] {
  const ids = list.map(({ id }) => id)
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))].map(
    (id) => `${what} ${id} is listed twice`,
  )
}
