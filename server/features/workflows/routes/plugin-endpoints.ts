// Plugins, of which workflows consist: each with its options as JSON Schema, from which forms are
// drawn.
import { z } from 'zod'
import {
  actionsOf,
  adviceOf,
  GROUPS,
  type GroupId,
  type Plugin,
  type Workflow,
} from '../../../../plugins/contract/index.ts'
import { filePlaceOf } from '../../../engine/steps.ts'
import { readShop, type ShopDefaults } from '../../../files/shop-settings.ts'
import { cutPage } from '../../../http/cursors.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { listOf, pageOfWhole } from '../../../http/schemas.ts'

const fileTest = z.object({
  extensions: z.array(z.string()).readonly().optional(),
  mapped: z.literal(true).optional(),
  tagged: z.literal(true).optional(),
  capitals: z.literal(true).optional(),
})
const fitRule = z.union([
  z.object({
    rule: z.literal('some'),
    files: fileTest,
    least: z.number().optional(),
    why: z.string(),
  }),
  z.object({ rule: z.literal('every'), files: fileTest, why: z.string() }),
  z.object({ rule: z.literal('ticked'), most: z.number(), why: z.string() }),
])
const groupId = z.enum(Object.keys(GROUPS) as [GroupId, ...GroupId[]])

const actionSchema = z
  .object({
    id: z.string(),
    group: groupId,
    labels: z
      .object({
        action: z.string(),
        menu: z.string(),
        ...icu('title', 'button', 'running', 'done', 'preview', 'skipped'),
        result: z.string(),
        intro: z.string().nullable(),
        note: z.string().nullable(),
      })
      .describe(
        'Texts. `title` to `skipped`, `intro` and `note` are ICU messages of `count` and options',
      ),
    promoted: z.boolean(),
    fits: z.object({
      places: z.array(z.enum(['files', 'trash', 'list'])).readonly(),
      rules: z.array(fitRule).readonly(),
      noun: z.object({ one: z.string(), many: z.string(), files: fileTest }).nullable(),
    }),
    preview: z.enum(['exact', 'estimate', 'none']),
    preview_required: z.enum(['always', 'filter']).nullable(),
    destructive: z.boolean(),
    warning: z
      .object({ tone: z.enum(['warning', 'critical']), title: z.string(), text: z.string() })
      .nullable(),
    fields: z.array(z.string()).readonly().nullable(),
    required: z.array(z.string()).readonly(),
    preset: z.record(z.string(), z.unknown()),
    body: z
      .enum(['rename', 'merge', 'links', 'give', 'tell', 'delete', 'delete-by-filter'])
      .nullable(),
  })
  .meta({ id: 'PluginAction' })

const alternative = z.object({
  title: z.string(),
  as: z.literal('select').optional(),
  choices: z
    .array(
      z.object({
        label: z.string(),
        help: z.string().optional(),
        fields: z.array(z.string()).readonly(),
        titles: z.record(z.string(), z.string()).optional(),
        set: z.record(z.string(), z.unknown()).optional(),
        usual: z
          .literal(true)
          .optional()
          .describe('The initial choice, by the settings of the shop'),
      }),
    )
    .readonly(),
})

const pluginSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['fetch', 'validate', 'optimize', 'map', 'act', 'notify']),
    title: z.string(),
    works_on: z.enum(['imports', 'files', 'trash', 'all', 'rows', 'deliveries']).nullable(),
    scope: z.enum(['items', 'operation']),
    waits: z
      .boolean()
      .describe('The steps after it are an operation of their own, some time later'),
    undo: z.enum(['fields', 'none']),
    permission: z.enum(['files:read', 'files:delete', 'files:purge', 'links:write']).nullable(),
    options: z.record(z.string(), z.unknown()).describe('JSON Schema'),
    touches_bytes: z.boolean(),
    actions: z
      .array(actionSchema)
      .readonly()
      .describe('Its entries in menus; none: it is only a step of workflows'),
    alternatives: z
      .array(alternative)
      .readonly()
      .describe('Decisions of its form that replace several options'),
    makes_files: z.boolean(),
    advice: z.record(z.string(), z.string()).describe('By error code: what to do next'),
  })
  .meta({ id: 'Plugin' })

const listSchema = listOf(pluginSchema).extend({
  channel_actions: z
    .array(z.object({ id: z.string(), title: z.string() }))
    .describe('Actions in the history that a channel starts: they are in no menu'),
  groups: z
    .array(z.object({ id: groupId, title: z.string() }))
    .describe('The sections of the menu, in order'),
})
const groups = Object.entries(GROUPS).map(([id, title]) => ({ id: id as GroupId, title }))

type Parts = { plugins: readonly Plugin[]; workflows: readonly Workflow[] }

export function pluginRoutes({ plugins, workflows }: Parts): Endpoint[] {
  const records = plugins.map((plugin) => ({
    plugin,
    record: recordOf(plugin),
    options: optionsOf(plugin),
  }))
  const channel_actions = workflows
    .filter((workflow) => filePlaceOf(workflow, plugins) === 'rows')
    .map(({ action, title }) => ({ id: action, title }))
  return [
    endpoint('GET /api/plugins', {
      summary: 'List the plugins that workflows are made of',
      tag: 'Workflows',
      scope: 'operations:read',
      query: z.strictObject(pageOfWhole),
      replies: { 200: { description: 'All of them', schema: listSchema } },
      handler: async ({ caller, query }) => {
        const { settings } = await readShop(caller.scope)
        const data = records.map(({ plugin, record, options }) => ({
          ...record,
          options: options(),
          alternatives: alternativesFor(plugin, settings),
        }))
        return { body: { ...cutPage(data, query, ({ id }) => id), channel_actions, groups } }
      },
    }),
  ]
}

/** The plugin's decisions, with the choices that are usual in this shop. */
const alternativesFor = (
  { form }: Plugin,
  settings: Pick<ShopDefaults, 'watermark'>,
): z.output<typeof alternative>[] =>
  (form?.alternatives ?? []).map(({ choices, ...one }) => ({
    ...one,
    choices: choices.map(({ usualWith, ...choice }) =>
      usualWith && settings[usualWith] !== null ? { ...choice, usual: true as const } : choice,
    ),
  }))

function recordOf(plugin: Plugin): Omit<z.output<typeof pluginSchema>, 'alternatives' | 'options'> {
  const { id, kind, title, undo } = plugin
  const items = plugin.scope === 'operation' ? null : plugin
  return {
    id,
    kind,
    title,
    works_on: items?.worksOn ?? null,
    scope: items ? 'items' : 'operation',
    waits: items?.waits !== undefined,
    undo,
    permission: plugin.permission ?? null,
    touches_bytes: items?.bytes ?? false,
    actions: actionsOf(plugin),
    makes_files: plugin.makesFiles ?? false,
    advice: adviceOf(plugin),
  }
}

function icu<const Name extends string>(...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>
}

/** Made for the first request: all of them take a sixth of the time in which a server is composed. */
function optionsOf({ options }: Plugin): () => Record<string, unknown> {
  let schema: Record<string, unknown> | undefined
  return () => (schema ??= optionsSchema(options))
}

/** The schema of the options, with each option's title, help (as `description`) and widget. Exported for the suite that each plugin's options pass. */
export function optionsSchema(options: z.ZodType): Record<string, unknown> {
  const schema = z.toJSONSchema(options, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const described = jsonSchema as { help?: string; description?: string }
      if (described.help !== undefined) {
        described.description ??= described.help
        delete described.help
      }
    },
  })
  delete schema.$schema
  return schema
}
