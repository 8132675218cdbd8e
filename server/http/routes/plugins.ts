// Plugins: what workflows can be made of, each with its options as JSON Schema, from which forms are drawn.
import { z } from 'zod'
import type { Plugin } from '../../../plugins/contract.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'

const pluginSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['fetch', 'validate', 'optimize', 'map', 'act', 'notify']),
    title: z.string(),
    works_on: z.enum(['imports', 'files', 'trash', 'all', 'rows']).nullable(),
    scope: z.enum(['items', 'operation']),
    undo: z.enum(['fields', 'none']),
    permission: z.enum(['files:read', 'files:delete', 'files:purge', 'links:write']).nullable(),
    options: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema' }),
    touches_bytes: z.boolean(),
  })
  .meta({ id: 'Plugin' })

export function pluginRoutes(plugins: readonly Plugin[]): Endpoint[] {
  const data = plugins.map(recordOf)
  return [
    endpoint({
      method: 'get',
      path: '/api/plugins',
      summary: 'List the plugins that workflows are made of',
      tag: 'Workflows',
      scope: 'operations:read',
      replies: { 200: { description: 'All of them', schema: z.object({ data: z.array(pluginSchema) }) } },
      handler: () => Promise.resolve({ body: { data } }),
    }),
  ]
}

function recordOf(plugin: Plugin): z.output<typeof pluginSchema> {
  const { id, kind, title, undo } = plugin
  const items = plugin.scope === 'operation' ? null : plugin
  return {
    id,
    kind,
    title,
    works_on: items?.worksOn ?? null,
    scope: items ? 'items' : 'operation',
    undo,
    permission: plugin.permission ?? null,
    options: optionsSchema(plugin.options),
    touches_bytes: items?.bytes ?? false,
  }
}

/** What may be sent, with each option's title, help (as `description`) and widget. */
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
