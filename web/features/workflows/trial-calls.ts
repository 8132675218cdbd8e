// A trial of a workflow that is being edited.
import { useMutation } from '@tanstack/react-query'
import { call } from '../../shell/client/client.ts'
import { type WorkflowBody } from '../../shell/client/workflows.ts'

export const MOST_TRIED = 10

/** `file_ids` empty: the newest files. */
export const useTrial = () =>
  useMutation({
    mutationFn: ({ workflow, file_ids }: { workflow: WorkflowBody; file_ids: readonly string[] }) =>
      call('POST /api/workflows/try', {
        body: { workflow, ...(file_ids.length > 0 ? { file_ids } : {}) },
      }),
  })
