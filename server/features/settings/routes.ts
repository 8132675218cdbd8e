// The shop's settings: defaults of imports, recipients of messages, and the time zone of schedules.
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
import { deliveryWorkflow } from '../workflows/find.ts'
import { referencesBySchema, requireReferences } from '../workflows/references.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema } from '../../http/schemas.ts'

const endpoint = endpointsOf({ tag: 'Settings' })

export interface SettingsParts {
  engine: Engine
  clock: () => Date
}

export function settingsRoutes({ engine, clock }: SettingsParts): Endpoint[] {
  return [
    endpoint('GET /api/settings', {
      summary: 'Read the shop’s settings',
      scope: 'operations:read',
      replies: { 200: { description: 'All of them', schema: shopSettingsSchema } },
      handler: async ({ caller }) => ({ body: (await readShop(caller.scope)).settings }),
    }),
    endpoint('PATCH /api/settings', {
      logs: { kind: 'settings' },
      summary: 'Change some of the shop’s settings',
      scope: 'settings:write',
      body: settingsChange,
      replies: {
        200: { description: 'All of them', schema: shopSettingsSchema },
        422: { description: 'Every problem', schema: errorSchema },
      },
      handler: ({ caller, body }) =>
        caller.scope.transaction(async (tx) => {
          await requireDeliveryWorkflow(tx, body.delivery_workflow ?? null, engine.plugins)
          await requireOwn(tx, body)
          const settings = await changeShopSettings(tx, body)
          if (body.time_zone !== undefined) await rescheduleAll(tx, settings.time_zone, clock())
          return { body: settings }
        }),
    }),
  ]
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
 * Checks the workflow of deliveries. Throws `validation_failed` for an unknown one,
 * `workflow_broken` for one that cannot run.
 */
async function requireDeliveryWorkflow(
  tx: ShopScope,
  id: string | null,
  plugins: readonly Plugin[],
): Promise<void> {
  if (id === null || (await deliveryWorkflow(tx, id, plugins))) return
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
