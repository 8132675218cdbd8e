// The versions of a workflow: each save that changes something is one, numbered from 1. An operation
// keeps the number of the version that it runs.
import { isDeepStrictEqual } from 'node:util'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { WorkflowBody } from './check.ts'

/** Older ones are removed with the next save. */
export const KEPT_VERSIONS = 100

export interface WorkflowVersion {
  version: number
  /** The request that saves it. */
  body: WorkflowBody
  made_by: string
  /** The version that was restored; null: it was saved. */
  restored: number | null
  created_at: Date
}

/** Lists the kept versions, newest first. */
export const listWorkflowVersions = (
  scope: ShopScope,
  workflow: string,
): Promise<WorkflowVersion[]> =>
  scope.query<WorkflowVersion>(
    `select version, body, made_by, restored, created_at from workflow_versions
     where shop_id = :shop and workflow_id = :workflow order by version desc`,
    { workflow },
  )

export const readVersion = (
  scope: ShopScope,
  workflow: string,
  version: number,
): Promise<WorkflowVersion | null> =>
  scope.first<WorkflowVersion>(
    `select version, body, made_by, restored, created_at from workflow_versions
     where shop_id = :shop and workflow_id = :workflow and version = :version`,
    { workflow, version },
  )

/**
 * Keeps what a save made of the workflow as its next version, unless it is the same as before. Returns
 * the number of its version.
 */
export async function noteVersion(
  tx: ShopScope,
  workflow: string,
  { body, by, restored = null }: { body: WorkflowBody; by: string; restored?: number | null },
): Promise<number> {
  const last = await tx.first<{ body: WorkflowBody; version: number }>(
    `select v.body, v.version from workflows w join workflow_versions v on v.shop_id = w.shop_id
       and v.workflow_id = w.id and v.version = w.version
     where w.shop_id = :shop and w.id = :workflow`,
    { workflow },
  )
  const json = JSON.stringify(body)
  if (last && isDeepStrictEqual(last.body, JSON.parse(json))) return last.version
  const made = await tx.one<{ version: number }>(
    `with next as (update workflows set version = version + 1
         where shop_id = :shop and id = :workflow returning shop_id, id, version),
       removed as (delete from workflow_versions v using next
         where v.shop_id = next.shop_id and v.workflow_id = next.id
           and v.version <= next.version - :kept)
     insert into workflow_versions (shop_id, workflow_id, version, body, made_by, restored)
     select shop_id, id, version, :json::jsonb, :by, :restored::integer from next
     returning version`,
    { workflow, json, by, restored, kept: KEPT_VERSIONS },
  )
  return made.version
}
