// What a plugin is: its kinds, its steps, and `definePlugin`.
import type { z } from 'zod'
import type { Condition } from './condition-fields.ts'
import type {
  BaseContext,
  OperationContext,
  OperationReadContext,
  PortId,
  ReadContext,
  ShopSettings,
  WriteContext,
} from './context.ts'
import type { Item } from './item.ts'
import type { OperationReport, OperationView } from './operation.ts'
import type { Outcome } from './outcome.ts'
import type { ActionSpec, Form, ReportSpec } from './form.ts'
import type { AnyText } from './text.ts'

/**
 * The part of the work that a plugin does. It decides the default of a failed step (`onFailure`)
 * and which steps only report.
 */
export type PluginKind = 'fetch' | 'validate' | 'optimize' | 'map' | 'act' | 'notify'

/**
 * How an operation of this plugin is undone. `fields`: by the engine, from what its outcomes
 * changed and created (fields, versions, mappings, new files, links). `none`: not at all, because
 * it changes something that no outcome contains.
 */
export type Undo = 'fields' | 'none'

interface PluginBase<Options extends z.ZodType, Port extends PortId> {
  /** The plugin's name in workflows, as verb-noun: `tag-files`. Unique. */
  id: string
  kind: PluginKind
  title: string
  /**
   * The schema of its options. Their `.meta({ title, help, widget, sensitive })` draws the form.
   */
  options: Options
  undo: Undo
  /**
   * The ports that its context has. Other ports are absent, so a plugin touches only what it
   * declares.
   */
  needs?: readonly Port[]
  /**
   * The options with what they take from the shop's settings. Called once, when an operation
   * starts, so that a later change of the settings does not affect it. Absent: they take nothing.
   */
  withSettings?(options: z.output<Options>, settings: ShopSettings): z.output<Options>
  /**
   * Its effect with these options, in a short line for a person: `Adds the tags summer, sale`.
   */
  summary?(options: z.output<Options>): AnyText
  /**
   * Its entries in the menus of files; the first one is its name in history, schedules and
   * workflows. Absent: one with its title, if it acts on files. Empty: it is only a step of
   * workflows.
   */
  actions?: readonly ActionSpec[]
  /** Parts of its form in addition to the schema of its options. */
  form?: Form
  /** Set if it creates new files from the files that it works on. */
  makesFiles?: true
  report?: ReportSpec
  /**
   * The events that webhooks receive when an operation with this step has changed files:
   * `file.deleted`. Features declare them; the start refuses a name that none declares.
   */
  announces?: readonly string[]
  /**
   * What a person can do next when files failed, as a sentence for each error code. The codes of
   * ports have one already (`advice.ts`).
   */
  advice?: Readonly<Record<string, string>>
}

/** How long, until which day or time, or for whose answer the steps after it wait. */
export type Wait = { seconds: number } | { until: string } | { ask: Question }

/** What a step asks before the steps after it run. Their preview is the question. */
export interface Question {
  /** The addresses of those who may answer; empty: anyone who may run workflows in the shop. */
  who: readonly string[]
  /** The time to answer. */
  seconds: number
  /** What follows when nobody answers in this time. */
  no_answer: 'remind' | 'approve' | 'reject'
  /** Whether the one who started the run may approve it. */
  starter_may_approve: boolean
}

/** Works on the items of a batch. */
export interface ItemPlugin<
  Options extends z.ZodType = z.ZodType,
  Port extends PortId = PortId,
> extends PluginBase<Options, Port> {
  scope?: 'items'
  /**
   * The items that it works on. `imports`: items with an entry. `files`: existing files. `trash`:
   * files in the trash. `all`: files in the trash or not. `rows`: files with a change from a CSV
   * row. `deliveries`: the files of one buyer's delivery. Absent: everything except files in the
   * trash.
   */
  worksOn?: 'imports' | 'files' | 'trash' | 'all' | 'rows' | 'deliveries'
  /** The API scope needed to run it; absent: `files:write`. */
  permission?: 'files:read' | 'files:delete' | 'files:purge' | 'links:write'
  /**
   * Whether it reads or writes files' bytes: then its batches are small and its items are marked as
   * running.
   */
  bytes?: boolean
  /** The largest number of items of a batch, if larger than usual: each batch has a high cost. */
  batch?: number
  /**
   * Whether its plan uses external systems (the catalog, the internet): it is called with no
   * transaction open, because none may wait for them.
   */
  outside?: boolean
  /**
   * Set if it renames files, which may take each other's names: batches run one after another, in
   * their order.
   */
  ordered?: true
  /** Set if the order of the files shows in the result: batches run one after another. */
  sequential?: true
  /**
   * The id of another plugin that must work on the same items directly before it with these
   * options. That plugin takes no options.
   */
  precededBy?(options: z.output<Options>): string | null
  /**
   * The conditions on files in these options. The engine then reads what they ask about a file into
   * `file.facts`, for `matchesCondition`. Absent: its options have none.
   */
  conditions?(options: z.output<Options>): readonly Condition[]
  /**
   * Set if the steps after it are an operation of their own, with the files that were done before
   * it: it starts after this time, or as a preview that waits for an answer. Its plan changes nothing.
   */
  waits?(options: z.output<Options>): Wait
  /**
   * Decides about each item and changes nothing. The engine may call it first with files that are
   * not loaded: reading one throws, and `plan` is called again with the files loaded. If it reads
   * none and makes the same change to all, the database makes that change.
   * @param items the items of one batch, in the order of the operation
   * @param options its options, parsed by its schema
   * @param context the ports that it needs, for reading. Its signal aborts on pause, cancel and
   *   shutdown
   * @returns exactly one outcome for each item, in any order: what `run` would produce, or, without
   *   a `run`, what the engine applies
   * @throws only the signal's reason. After any other error, which is a defect, the items without
   *   an outcome fail with `plugin_failed`
   */
  plan(
    items: readonly Item[],
    options: z.output<Options>,
    context: ReadContext<Port>,
  ): AsyncIterable<Outcome>
  /**
   * Does the work of a plugin that uses external systems or bytes, which a plan cannot do. Then its
   * outcomes carry the changes, and `plan` serves previews only.
   * @returns exactly one outcome for each item, as soon as it is known, in any order
   * @throws as `plan` does. A `PortError` should become an outcome: see `failed(item, error)`
   */
  run?(
    items: readonly Item[],
    options: z.output<Options>,
    context: WriteContext<Port>,
  ): AsyncIterable<Outcome>
}

/** Works on the operation as a whole, after all its items have ended. */
export interface OperationPlugin<
  Options extends z.ZodType = z.ZodType,
  Port extends PortId = PortId,
> extends PluginBase<Options, Port> {
  scope: 'operation'
  /**
   * The API scope needed to run it; absent: `files:write`, or none for a plugin that only sends
   * messages.
   */
  permission?: 'files:read' | 'files:delete' | 'files:purge' | 'links:write'
  /** Whether it runs after a failed or cancelled operation too. */
  always?: boolean
  /**
   * Set to false if it works on all files together and needs no result for each. An operation with
   * only such steps writes no items, and ends as its steps do.
   */
  ledger?: false
  /**
   * Set if it writes a document with `context.artifacts`. An operation has one document, so a
   * workflow has one such step.
   */
  document?: true
  /**
   * Says what it would do, and changes nothing.
   * @returns its effects, one sentence each, for a preview
   * @throws `PortError`: the preview fails, and the operation cannot be confirmed
   */
  plan(
    operation: OperationView,
    options: z.output<Options>,
    context: OperationReadContext<Port>,
  ): AsyncIterable<AnyText>
  /**
   * Does the work. Its messages, its document and its new files take effect in the transaction that
   * marks the step as ended, so that a second run after a crash repeats none of them.
   * @returns warnings, and new files
   * @throws `PortError`: the operation ends as failed. For a `notify` plugin that is only a
   *   warning, because the work itself is done
   */
  run(
    operation: OperationView,
    options: z.output<Options>,
    context: OperationContext<Port>,
  ): Promise<OperationReport>
}

export type Plugin = ItemPlugin | OperationPlugin

/**
 * Defines a plugin: checks the types of its options and ports while it is written, and erases them
 * for the list of plugins.
 * @returns the plugin, whose `plan` and `run` get the ports in `needs` and no others
 */
export function definePlugin<Options extends z.ZodType, Port extends PortId = never>(
  plugin: ItemPlugin<Options, Port>,
): ItemPlugin

export function definePlugin<Options extends z.ZodType, Port extends PortId = never>(
  plugin: OperationPlugin<Options, Port>,
): OperationPlugin

export function definePlugin(plugin: Plugin): Plugin {
  return plugin.scope === 'operation' ? narrowedOperation(plugin) : narrowedItems(plugin)
}

function narrowedItems(plugin: ItemPlugin): ItemPlugin {
  const { run, needs = [] } = plugin
  const plan: ItemPlugin['plan'] = (items, options, context) =>
    plugin.plan(items, options, narrowed(context, needs))
  if (!run) return { ...plugin, plan }
  return {
    ...plugin,
    plan,
    run: (items, options, context) => run(items, options, narrowed(context, needs)),
  }
}

function narrowedOperation(plugin: OperationPlugin): OperationPlugin {
  const { plan, run, needs = [] } = plugin
  return {
    ...plugin,
    plan: (operation, options, context) => plan(operation, options, narrowed(context, needs)),
    run: (operation, options, context) => run(operation, options, narrowed(context, needs)),
  }
}

/** The context without the ports that are not needed. */
function narrowed<Context extends BaseContext>(
  context: Context,
  needs: readonly PortId[],
): Context {
  const { signal, shop, operation, request, limits } = context
  const ports = context as Context & Readonly<Record<PortId, unknown>>
  // Only these are read: a port is made when it is read.
  const given = needs.filter((name) => name in ports).map((name) => [name, ports[name]])
  return { signal, shop, operation, request, limits, ...Object.fromEntries(given) } as Context
}

/** What a failed item does to the rest: see `Step.onFailure`. */
export type FailurePolicy = 'drop' | 'keep' | 'stop'

/** One step of a workflow: a plugin with its options, and when it applies. */
export interface Step {
  /** The step's name in its workflow, which never changes: history and undo refer to it. */
  id: string
  plugin: string
  options?: Record<string, unknown>
  /** The condition on an item's file. Items that do not meet it skip the step. */
  when?: Condition
  /** The branch that the step belongs to. Absent: it is for every file. */
  branch?: StepBranch
  /**
   * The effect of a failed item: it is left out (`drop`), it continues unchanged with the next step
   * and a warning (`keep`), or the whole operation ends (`stop`). Absent: `keep` in an import for
   * the kinds optimize and act, because the file would be lost; otherwise `drop`.
   */
  onFailure?: FailurePolicy
  /**
   * How often an item is tried at most, if its failure may be temporary. All its attempts in a run
   * count, also those that ended at another step. Absent: three times, unless an attempt was slow.
   */
  tries?: number
  /** Seconds between two tries. Absent: 1, then 5. */
  pause?: number
}

/**
 * Steps of which a file takes one part: those of the files that meet the condition come first, then
 * those of the others (`else`). Each file is judged once, as it is before the first of them.
 */
export interface StepBranch {
  /** The same in all its steps. */
  id: string
  when: Condition
  else?: true
}

/** Steps of plugins with options, as data. */
export interface Workflow {
  id: string
  title: string
  /** Its name in history and in the API. */
  action: string
  kind: 'import' | 'bulk' | 'delivery'
  /** Chains of batches that may run concurrently; 1 is strictly one batch after another. */
  parallel: number
  steps: readonly Step[]
  /** Of a shop’s own workflow: the number of its version. */
  version?: number
}
