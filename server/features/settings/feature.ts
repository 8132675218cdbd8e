// Settings, plan, API keys and tag templates of a shop.
import { settingsExamples } from './examples.ts'
import { settingsRoutes, type SettingsParts } from './routes.ts'
import { apiKeyRoutes } from './routes/api-key-endpoints.ts'
import { planRoutes, type PlanRouteParts } from './routes/plan-endpoints.ts'
import { sessionRoutes } from './routes/session-endpoints.ts'
import { storefrontRoutes } from './routes/storefront-endpoints.ts'
import { tagTemplateRoutes } from './routes/tag-template-endpoints.ts'
import { webVitalRoutes } from './routes/web-vital-endpoints.ts'
import { planTask, type PlanParts } from './shop-plan.ts'
import { defineFeature } from '../feature.ts'

export const settingsFeature = defineFeature({
  name: 'settings',
  examples: settingsExamples,
  endpoints: (parts: SettingsParts & PlanRouteParts) => [
    ...settingsRoutes(parts),
    ...planRoutes(parts),
    ...apiKeyRoutes(parts),
    ...tagTemplateRoutes(),
    ...sessionRoutes(),
    ...storefrontRoutes(),
    ...webVitalRoutes(parts),
  ],
  tasks: (parts: PlanParts) => [planTask(parts)],
  tables: {
    api_keys: 'names that the merchant gave',
    idempotency_keys: 'sealed replies: redact-customer.ts masks those that name the buyer',
    shop_tokens: 'sealed tokens of the platform',
    tag_templates: 'tags',
    token_leases: 'ids',
    shop_downloads: 'counts of each month',
    shop_plans: 'what the shop pays for',
  },
})
