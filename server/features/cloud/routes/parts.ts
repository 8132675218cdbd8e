// What the routes of cloud connections share.
import type { Cloud } from '../cloud.ts'
import { requireConnection } from '../connections.ts'
import { updateSyncBase } from '../sync-base.ts'
import { listSyncs } from '../sync-rows.ts'
import { NOTHING, totalsOf } from '../totals.ts'
import type { Engine } from '../../../engine/engine.ts'
import { endpointsOf } from '../../../http/endpoint.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { connectionRecord, connectionSchema } from './record.ts'
import { errorSchema } from '../../../http/schemas.ts'

export interface ConnectionParts {
  cloud: Cloud
  engine: Engine
  clock: () => Date
}

export const cloudReading = endpointsOf({
  tag: 'Cloud connections',
  scope: ['cloud:read', 'cloud:write'],
})

export const cloudWriting = endpointsOf({ tag: 'Cloud connections', scope: 'cloud:write' })
export const connectionReply = { description: 'The connection', schema: connectionSchema }

export const providerRefused = {
  422: { description: 'Every problem, or the provider’s reason', schema: errorSchema },
  503: { description: 'The provider, or rclone, cannot be reached', schema: errorSchema },
}

export async function readConnection(scope: ShopScope, id: string) {
  await updateSyncBase(scope, id)
  // One by one: in a transaction they have one connection.
  const row = await requireConnection(scope, id)
  const syncs = await listSyncs(scope, id, { limit: 1 })
  const totals = await totalsOf(scope)
  return connectionRecord(row, syncs[0] ?? null, totals.get(id) ?? NOTHING)
}
