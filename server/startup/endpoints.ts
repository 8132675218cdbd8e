// All endpoints of the API.
import type { Channel } from '../features/workflows/channel.ts'
import type { Cloud } from '../features/cloud/cloud.ts'
import { confirmSync } from '../features/cloud/confirmation.ts'
import type { UploadParts } from '../features/upload/upload.ts'
import type { DropAddress } from '../core/configuration/drop-settings.ts'
import type { Limits } from '../core/configuration/limits.ts'
import type { Database } from '../core/db/database.ts'
import type { Delivery } from '../features/downloads/downloads.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../core/log.ts'
import type { Secrets } from '../core/secrets.ts'
import type { BlobStore } from '../core/store/store.ts'
import type { Storefront } from '../storefront/storefront.ts'
import type { Plans } from '../core/configuration/plan-list.ts'
import { withCurrentCounts } from '../features/files/current-counts.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { OrderPages } from '../features/orders/order-pages.ts'
import type { PageSource } from '../http/page.ts'
import { activityRoutes } from '../features/activity/routes.ts'
import { apiKeyRoutes } from '../features/settings/routes/api-key-endpoints.ts'
import { connectionRoutes } from '../features/cloud/routes.ts'
import { csvRoutes } from '../features/csv/routes.ts'
import { customerDataRoutes } from '../features/compliance/routes.ts'
import { deliveryRoutes } from '../features/orders/routes.ts'
import { dropRoutes } from '../features/drop/routes.ts'
import { fileListRoutes } from '../features/files/routes/list-endpoints.ts'
import { fileRoutes } from '../features/files/routes.ts'
import { impactRoutes } from '../features/files/routes/impact-endpoints.ts'
import type { ReadWorkbook } from '../features/csv/workbook.ts'
import type { Reach } from '../http/reachable.ts'
import { importRoutes } from '../features/api/routes.ts'
import { licenceListRoutes } from '../features/preparation/routes.ts'
import { linkChangeRoutes } from '../features/links/routes/change-endpoints.ts'
import { linkRoutes } from '../features/links/routes.ts'
import { messageRoutes } from '../features/messages/routes.ts'
import { noticeRoutes } from '../features/notices/routes.ts'
import { artifactRoutes } from '../features/operations/routes/artifact-endpoints.ts'
import { buyerPageRoutes } from '../features/buyer-page/routes.ts'
import { channelRoutes } from '../features/imports/routes.ts'
import { bulkRoutes } from '../features/operations/routes/bulk-endpoints.ts'
import { operationLogRoutes } from '../features/operations/routes/log-endpoints.ts'
import { operationRoutes } from '../features/operations/routes.ts'
import { packRoutes } from '../features/packs/routes.ts'
import { planRoutes } from '../features/settings/routes/plan-endpoints.ts'
import { pluginRoutes } from '../features/workflows/routes/plugin-endpoints.ts'
import { productRoutes } from '../features/mapping/routes/product-endpoints.ts'
import { renamePreviewRoutes } from '../features/files/routes/rename-preview-endpoints.ts'
import { reviewRoutes } from '../features/mapping/routes/review-endpoints.ts'
import { scheduleRoutes } from '../features/schedules/routes.ts'
import { uploadRoutes } from '../features/upload/routes.ts'
import { sessionRoutes } from '../features/settings/routes/session-endpoints.ts'
import { settingsRoutes } from '../features/settings/routes.ts'
import { storefrontRoutes } from '../features/settings/routes/storefront-endpoints.ts'
import { tagTemplateRoutes } from '../features/settings/routes/tag-template-endpoints.ts'
import { versionRoutes } from '../features/files/routes/version-endpoints.ts'
import { webVitalRoutes } from '../features/settings/routes/web-vital-endpoints.ts'
import { webhookRoutes } from '../features/webhooks/routes.ts'
import { workflowRoutes } from '../features/workflows/routes.ts'

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
