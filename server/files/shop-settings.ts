// A shop's settings, with the specification's defaults for what it has not set.
import { z } from 'zod'
import type { ShopScope } from '../db/for-shop.ts'

export const shopSettingsSchema = z.object({
  expiry_days: z.number().int().positive().nullable().default(60),
  download_limit: z.number().int().positive().nullable().default(5),
  visibility: z.enum(['public', 'private']).default('private'),
  cdn: z.boolean().default(true),
  auto_map: z.boolean().default(true),
  email_on_complete: z.boolean().default(true),
  email_on_errors: z.boolean().default(true),
  recipients: z.array(z.email()).default([]),
})

export type ShopDefaults = z.output<typeof shopSettingsSchema>

export interface ShopRecord {
  name: string
  domain: string
  demo: boolean
  settings: ShopDefaults
}

export async function readShop(scope: ShopScope): Promise<ShopRecord> {
  const [row] = await scope.query<{ name: string; domain: string; demo: boolean; settings: unknown }>(
    'select name, domain, demo, settings from shops where id = :shop',
  )
  return { name: row!.name, domain: row!.domain, demo: row!.demo, settings: shopSettingsSchema.parse(row!.settings) }
}
