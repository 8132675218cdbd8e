// Lists of operations, and those that run now: all that the list of files needs of them at first.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type Query } from '../../shell/client/endpoints.ts'
import { CALM_MS, LIVE_MS } from '../../shell/client/polling.ts'
import { NOTHING_NEW, useActivity } from '../../shell/client/queries.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Operation, type OperationStatus } from '../../shell/client/types.ts'

const MOVING: readonly OperationStatus[] = ['previewing', 'queued', 'running']
const ENDED: readonly OperationStatus[] = ['success', 'partial', 'failed', 'cancelled', 'undone']

export const isMoving = (operation: Pick<Operation, 'status'>): boolean =>
  MOVING.includes(operation.status)
export const hasEnded = (operation: Pick<Operation, 'status'>): boolean =>
  ENDED.includes(operation.status)

export const useOperations = (query: Query, enabled = true) =>
  useRead('GET /api/operations', {
    query,
    enabled,
    keep: true,
    poll: (operations) => (operations?.data.some(isMoving) ? LIVE_MS : CALM_MS),
  })

const SHOWN_RUNNING = 3

/**
 * The first running operations, polled only while there are some. When one begins or all have
 * ended, the lists of files are read again.
 */
export function useRunning(): Operation[] {
  const client = useQueryClient()
  const activity = useActivity()
  const { running, latest_operation } = activity
  const operations = useOperations({ status: 'running', limit: SHOWN_RUNNING }, running)
  const state = activity === NOTHING_NEW ? null : `${running} ${latest_operation}`
  const seen = useRef(state)
  useEffect(() => {
    if (seen.current !== null && seen.current !== state)
      void client.invalidateQueries({ queryKey: ['files'] })
    seen.current = state
  }, [client, state])
  return running ? (operations.data?.data ?? []) : []
}
