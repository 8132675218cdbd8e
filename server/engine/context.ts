// The context of a plugin: the shop's ports and the operation's options.
import { z } from 'zod'
import {
  PortError,
  say,
  textOf,
  type AnyText,
  type ItemPlugin,
  type OperationPlugin,
  type Plugin,
  type Step,
  type WriteContext,
  type Workflow,
  actionsOf,
  adviceOf,
  type Actions,
  ownValue,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { withFields, lazy } from '../core/lazy.ts'
import { toOperationId } from '../core/ids.ts'
import { storedMessage } from '../core/texts.ts'
import type { Stop } from './outcomes.ts'
import { readFacts, type FactSubject } from '../files/facts.ts'
import type { ConditionReader } from './item-work.ts'
import { openOptions } from './sealed.ts'
import type { OperationRow, ResolvedStep } from './types.ts'
import type { EngineParts } from './parts.ts'

/** The ports that a plugin has only while it works on a delivery. */
export type DeliveryPorts = Pick<WriteContext, 'delivery' | 'licences'>

/**
 * The context of the operation's plugins. `definePlugin` hides the ports that a plugin does not
 * need.
 * @param delivery the ports of the delivery that the plugins work on; absent: none
 */
export async function writeContext(
  parts: EngineParts,
  scope: ShopScope,
  operation: Pick<OperationRow, 'request'> & Partial<Pick<OperationRow, 'channel' | 'id' | 'kind'>>,
  signal: AbortSignal,
  delivery?: DeliveryPorts,
): Promise<WriteContext & ConditionReader> {
  const ports = await parts.ports(scope)
  const { background_delete, background_update, ...limits } = parts.limits
  const background = { delete: background_delete, update: background_update }
  const own = {
    signal,
    operation: operation.id && operation.kind ? toOperationId(operation.kind, operation.id) : null,
    request: operation.request,
    facts: (subjects: readonly FactSubject[]) => readFacts(scope, subjects, operation),
    limits: { ...limits, background },
    // Absent ports are never read: server/features/workflows/check.ts refuses plugins that need
    // them in other workflows.
    ...(delivery as DeliveryPorts),
  }
  return withFields(withFields(ports, lazy({ actions: () => createActions(parts.plugins) })), own)
}

/**
 * A step that this installation can no longer run: its plugin is gone, or takes other options now.
 */
export class BrokenStep extends PortError {
  readonly step: string
  constructor(step: string, message: AnyText, options?: ErrorOptions) {
    super('workflow_broken', message, false, options)
    this.step = step
  }
  get stop(): Stop {
    return { step: this.step, code: this.code, ...storedMessage(this.texts.message) }
  }
}

type Parts = Pick<EngineParts, 'plugins' | 'secrets'>

/** A workflow's item steps, with their plugins and validated options. Throws `BrokenStep`. */
export const resolveSteps = (
  parts: Parts,
  scope: ShopScope,
  workflow: Workflow,
): ResolvedStep<ItemPlugin>[] =>
  withTurns(
    workflow.steps.flatMap((step) => {
      const plugin = pluginOf(step, parts)
      if (!plugin) throw notInstalled(step)
      return plugin.scope === 'operation' ? [] : [resolveStep(step, plugin, parts, scope)]
    }),
  )

/** Adds where the branches of steps begin, so that an interrupted item shows which part it took. */
const withTurns = (steps: ResolvedStep<ItemPlugin>[]): ResolvedStep<ItemPlugin>[] =>
  steps.map((step) => {
    const { branch } = step
    if (!branch) return step
    const isOf = (other: ResolvedStep) => other.branch?.id === branch.id
    const first = steps.findIndex(isOf)
    const otherwise = steps.findLastIndex((other) => isOf(other) && !other.branch?.else) + 1
    return { ...step, turns: { first, otherwise } }
  })

/**
 * The steps on the whole operation. A broken one keeps its place and fails there, like any other
 * step.
 */
export const resolveLastSteps = (
  parts: Parts,
  scope: ShopScope,
  workflow: Workflow,
): ResolvedStep<OperationPlugin>[] =>
  workflow.steps.flatMap((step) => {
    const plugin = pluginOf(step, parts)
    if (!plugin) return [failing(step, null, notInstalled(step))]
    if (plugin.scope !== 'operation') return []
    try {
      return [resolveStep(step, plugin, parts, scope)]
    } catch (error) {
      if (error instanceof BrokenStep) return [failing(step, plugin, error)]
      throw error
    }
  })

const pluginOf = (step: Step, { plugins }: Parts) => plugins.find(({ id }) => id === step.plugin)

const notInstalled = ({ id, plugin }: Step) =>
  new BrokenStep(
    id,
    say('The step {step} needs the plugin {plugin}, which is not installed any more', {
      step: id,
      plugin,
    }),
  )

const failing = (
  step: Step,
  plugin: OperationPlugin | null,
  problem: BrokenStep,
): ResolvedStep<OperationPlugin> => ({
  ...step,
  parsedOptions: null,
  pluginImpl: {
    ...(plugin ?? {
      id: step.plugin,
      title: step.plugin,
      kind: 'act',
      scope: 'operation',
      undo: 'none',
    }),
    options: z.unknown(),
    plan: () => {
      throw problem
    },
    run: () => Promise.reject(problem),
  },
})

function resolveStep<P extends Plugin>(
  step: Step,
  plugin: P,
  { secrets }: Parts,
  { shop }: ShopScope,
): ResolvedStep<P> {
  try {
    return {
      ...step,
      pluginImpl: plugin,
      parsedOptions: plugin.options.parse(openOptions(step, plugin, { shop, secrets })),
    }
  } catch (cause) {
    throw new BrokenStep(
      step.id,
      say('The options of the step {plugin} are not valid any more', {
        plugin: textOf(plugin.title),
      }),
      { cause },
    )
  }
}

// The actions of this installation, for the plugin that reports how an operation ended.

/** Exported for tests. */
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
