// The runs of a workflow that wait for their next part, or for an answer.
import { BlockStack } from '../../shell/ui/index.ts'
import { useOperations } from '../operations/calls.ts'
import { Waits } from '../operations/waits.tsx'

/** Those that are shown; the page of operations lists all runs. */
const SHOWN = 5

export function WaitingRuns({ workflow }: { workflow: string }) {
  const { data } = useOperations({ workflow, waiting: true, limit: SHOWN })
  if (!data || data.data.length === 0) return null
  return (
    <BlockStack gap="400">
      {data.data.map((operation) => (
        <Waits key={operation.id} operation={operation} named />
      ))}
    </BlockStack>
  )
}
