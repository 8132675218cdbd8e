// The log of changes: types and calls.
import { useMutation } from '@tanstack/react-query'
import { callForBytes, toQuery } from '../../shell/client/client.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { SLOW_MS } from '../../shell/client/polling.ts'
import { useRead } from '../../shell/client/reads.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type LoggedChange = Schemas['LoggedChange']

export const useChanges = (query: Query) =>
  useRead('GET /api/change-log', { query, keep: true, poll: SLOW_MS })

/** Saves all changes of the filter on the merchant's computer. */
export const useExportChanges = () =>
  useMutation({
    mutationFn: async (query: Query) =>
      saveBytes(await callForBytes(`/api/change-log/export.csv${toQuery(query)}`), 'changes.csv'),
  })
