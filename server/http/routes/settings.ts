// The shop's settings: defaults of imports, recipients of messages, and the time zone of schedules.
import { rescheduleAll } from '../../channels/schedule-rows.ts'
import {
  changeShopSettings,
  readShop,
  settingsChange,
  shopSettingsSchema,
} from '../../files/shop-settings.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { errorSchema } from '../schemas.ts'

export function settingsRoutes(clock: () => Date): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api/settings',
      summary: 'Read the shop’s settings',
      tag: 'Settings',
      scope: 'operations:read',
      replies: { 200: { description: 'All of them', schema: shopSettingsSchema } },
      handler: async ({ caller }) => ({ body: (await readShop(caller.scope)).settings }),
    }),
    endpoint({
      method: 'patch',
      path: '/api/settings',
      summary: 'Change some of the shop’s settings',
      tag: 'Settings',
      scope: 'settings:write',
      body: settingsChange,
      replies: {
        200: { description: 'All of them', schema: shopSettingsSchema },
        422: { description: 'Every problem', schema: errorSchema },
      },
      handler: ({ caller, body }) =>
        caller.scope.transaction(async (tx) => {
          const settings = await changeShopSettings(tx, body)
          if (body.time_zone !== undefined) await rescheduleAll(tx, settings.time_zone, clock())
          return { body: settings }
        }),
    }),
  ]
}
