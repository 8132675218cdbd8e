// The shop's settings: defaults of imports, recipients of messages, and the time zone of schedules.
import { z } from 'zod'
import { say, type Plugin } from '../../../plugins/contract/index.ts'
import { rescheduleAll } from '../schedules/rows.ts'
import {
  changeShopSettings,
  readShop,
  settingsChange,
  shopSettingsSchema,
  type ShopDefaults,
} from '../../files/shop-settings.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { findDeliveryWorkflow, ordersWorkflow } from '../workflows/find.ts'
import { giveOrders } from '../workflows/triggers.ts'
import { referencesBySchema, requireReferences } from '../workflows/references.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema } from '../../http/schemas.ts'

const endpoint = endpointsOf({ tag: 'Settings' })

// Stored as a trigger of the workflow.
const deliveryWorkflow = z
  .string()
  .max(100)
  .nullable()
  .describe('The workflow (kind `delivery`) that runs on each new delivery; null: none')
const changeSchema = settingsChange
  .extend({ delivery_workflow: deliveryWorkflow.optional() })
  .meta({ id: 'SettingsChange' })
const settingsSchema = shopSettingsSchema
  .extend({ delivery_workflow: deliveryWorkflow })
  .meta({ id: 'Settings' })

export interface SettingsParts {
  engine: Engine
  clock: () => Date
}

export function settingsRoutes({ engine, clock }: SettingsParts): Endpoint[] {
  return [
    endpoint('GET /api/settings', {
      summary: 'Read the shop’s settings',
      scope: 'operations:read',
      replies: { 200: { description: 'All of them', schema: settingsSchema } },
      handler: async ({ caller }) => ({ body: await readSettings(caller.scope) }),
    }),
    endpoint('PATCH /api/settings', {
      logs: { kind: 'settings' },
      summary: 'Change some of the shop’s settings',
      scope: 'settings:write',
      body: changeSchema,
      replies: {
        200: { description: 'All of them', schema: settingsSchema },
        422: { description: 'Every problem', schema: errorSchema },
      },
      handler: ({ caller, body }) =>
        caller.scope.transaction(async (tx) => {
          const { delivery_workflow: workflow, ...change } = body
          if (workflow !== undefined)
            await giveOrders(tx, await requireDeliveryWorkflow(tx, workflow, engine.plugins))
          await requireOwn(tx, change)
          const { time_zone } = await changeShopSettings(tx, change)
          if (body.time_zone !== undefined) await rescheduleAll(tx, time_zone, clock())
          return { body: await readSettings(tx) }
        }),
    }),
  ]
}

async function readSettings(scope: ShopScope): Promise<z.output<typeof settingsSchema>> {
  const { settings } = await readShop(scope)
  return { ...settings, delivery_workflow: (await ordersWorkflow(scope))?.id ?? null }
}

/**
 * Checks the ids in a change, except those that the settings have already: a file may be gone since.
 * Throws `validation_failed` with each of the others.
 */
async function requireOwn(tx: ShopScope, change: Partial<ShopDefaults>): Promise<void> {
  const idsOf = (settings: object) =>
    referencesBySchema(settingsChange, settings as Record<string, unknown>, null)
  const given = idsOf(change)
  if (given.length === 0) return
  const kept = new Set(idsOf((await readShop(tx)).settings).map(({ id }) => id))
  await requireReferences(
    tx,
    given.filter(({ id }) => !kept.has(id)),
  )
}

/**
 * The bare UUID of the workflow of deliveries. Throws `validation_failed` for an unknown one,
 * `workflow_broken` for one that cannot run.
 */
async function requireDeliveryWorkflow(
  tx: ShopScope,
  id: string | null,
  plugins: readonly Plugin[],
): Promise<string | null> {
  const found = id === null ? null : await findDeliveryWorkflow(tx, id, plugins)
  if (id === null || found !== null) return found
  const param = 'delivery_workflow'
  const message = say(
    '“{id}” is not a workflow of the kind “delivery”: choose one, or null for none',
    { id },
  )
  throw new AppError('validation_failed', {
    param,
    details: [{ param, code: 'not_found', message }],
  })
}
