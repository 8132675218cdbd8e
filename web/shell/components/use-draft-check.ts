// The server's check of a workflow while a person edits it.
import { useWorkflowCheck, type WorkflowBody } from '../client/workflows.ts'
import { useDebounced } from '../url-state/use-debounced.ts'

/**
 * `check` is of `asked`, which the draft was a moment ago. `current`: it is of the draft as it is,
 * so that its problems still exist.
 */
export function useDraftCheck<T extends { body: WorkflowBody }>(draft: T, enabled = true) {
  const asked = useDebounced(draft)
  const check = useWorkflowCheck(asked.body, enabled)
  const current = !check.isPlaceholderData && JSON.stringify(asked) === JSON.stringify(draft)
  return { asked, check, current }
}
