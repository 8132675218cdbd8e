// All endpoints of the API.
import type { Channel } from '../workflows/channel.ts'
import type { Cloud } from '../channels/cloud/cloud.ts'
import { confirmSync } from '../channels/cloud/confirmation.ts'
import type { UploadParts } from '../channels/upload/upload.ts'
import type { DropAddress } from '../core/configuration/drop-settings.ts'
import type { Limits } from '../core/configuration/limits.ts'
import type { Database } from '../core/db/database.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../core/log.ts'
import type { Secrets } from '../core/secrets.ts'
import type { BlobStore } from '../core/store/store.ts'
import type { Storefront } from '../storefront/storefront.ts'
import type { Plans } from '../core/configuration/plan-list.ts'
import { withCurrentCounts } from './current-counts.ts'
import type { Endpoint } from './endpoint.ts'
import type { OrderPages } from '../orders/order-pages.ts'
import type { PageSource } from './page.ts'
import { activityRoutes } from './routes/activity.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { connectionRoutes } from './routes/connections.ts'
import { csvRoutes } from './routes/csv.ts'
import { customerDataRoutes } from './routes/customer-data.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { dropRoutes } from './routes/drop.ts'
import { fileListRoutes } from './routes/file-list.ts'
import { fileRoutes } from './routes/files.ts'
import { impactRoutes } from './routes/impact.ts'
import type { ReadWorkbook } from '../channels/csv/workbook.ts'
import type { Reach } from './reachable.ts'
import { importRoutes } from './routes/imports.ts'
import { licenceListRoutes } from './routes/licence-lists.ts'
import { linkChangeRoutes } from './routes/link-changes.ts'
import { linkRoutes } from './routes/links.ts'
import { messageRoutes } from './routes/messages.ts'
import { noticeRoutes } from './routes/notices.ts'
import { artifactRoutes } from './routes/artifacts.ts'
import { buyerPageRoutes } from './routes/buyer-page.ts'
import { channelRoutes } from './routes/channels.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { operationLogRoutes } from './routes/operation-log.ts'
import { operationRoutes } from './routes/operations.ts'
import { packRoutes } from './routes/packs.ts'
import { planRoutes } from './routes/plan.ts'
import { pluginRoutes } from './routes/plugins.ts'
import { productRoutes } from './routes/products.ts'
import { renamePreviewRoutes } from './routes/rename-preview.ts'
import { reviewRoutes } from './routes/reviews.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { sessionRoutes } from './routes/session.ts'
import { settingsRoutes } from './routes/settings.ts'
import { storefrontRoutes } from './routes/storefront.ts'
import { tagTemplateRoutes } from './routes/tag-templates.ts'
import { versionRoutes } from './routes/versions.ts'
import { webVitalRoutes } from './routes/web-vitals.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { workflowRoutes } from './routes/workflows.ts'

export interface AppParts {
  database: Database
  engine: Engine
  storefront: Storefront
  delivery: Delivery
  stores: ReadonlyMap<string, BlobStore>
  secrets: Secrets
  uploads: UploadParts
  channels: readonly Channel[]
  cloud: Cloud
  readWorkbook: ReadWorkbook
  /** Rejects if this server cannot send to an address. */
  reach: Reach
  /** The address of the drop server for merchants. */
  drop: DropAddress
  limits: Limits
  page: PageSource
  baseUrl: string
  demo: boolean
  trustProxy: boolean
  /** The bearer token that readers of /metrics must send. */
  metricsToken?: string | null
  clock: () => Date
  log: Logger
  orderPages: OrderPages
  plans: Plans | null
}

export function listEndpoints(parts: AppParts): Endpoint[] {
  const counted = withCurrentCounts(parts.delivery)
  return [
    ...importRoutes(parts),
    ...uploadRoutes(parts),
    ...csvRoutes(parts),
    ...dropRoutes(parts),
    ...connectionRoutes(parts),
    ...counted(fileListRoutes(parts)),
    ...counted(fileRoutes(parts)),
    ...counted(versionRoutes(parts)),
    ...counted(packRoutes(parts)),
    ...tagTemplateRoutes(),
    ...counted(linkRoutes(parts)),
    ...counted(linkChangeRoutes(parts)),
    ...counted(deliveryRoutes(parts)),
    ...storefrontRoutes(),
    ...counted(
      operationRoutes(parts, (scope, about) =>
        confirmSync(parts.cloud, parts.engine, scope, about),
      ),
    ),
    ...operationLogRoutes(parts),
    ...counted(artifactRoutes(parts)),
    ...counted(bulkRoutes(parts)),
    ...renamePreviewRoutes(parts),
    ...counted(impactRoutes(parts)),
    ...workflowRoutes(parts.engine),
    ...channelRoutes(parts.channels),
    ...pluginRoutes(parts.engine),
    ...scheduleRoutes(parts),
    ...productRoutes(),
    ...reviewRoutes(parts),
    ...settingsRoutes(parts),
    ...licenceListRoutes(parts),
    ...customerDataRoutes(parts),
    ...planRoutes(parts),
    ...buyerPageRoutes(),
    ...apiKeyRoutes(parts.clock),
    ...noticeRoutes(),
    ...messageRoutes(parts),
    ...webhookRoutes(parts),
    ...sessionRoutes(),
    ...activityRoutes(parts.engine),
    ...webVitalRoutes(parts),
  ]
}
