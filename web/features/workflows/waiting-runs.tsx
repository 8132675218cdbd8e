// The runs of a workflow that wait for their next part.
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Link } from '../../shell/ui/index.ts'
import { useOperations } from '../operations/calls.ts'
import { Waits } from '../operations/waits.tsx'

/** Runs that wait are on this page; the page of operations lists all. */
const SHOWN = 5

export function WaitingRuns({ workflow }: { workflow: string }) {
  const { data } = useOperations({ workflow, waiting: true, limit: SHOWN })
  return (
    <>
      {data?.data.map((operation) => (
        <BlockStack key={operation.id} gap="100">
          <Link url={`/operations/${operation.id}`}>
            {t('The run of {time}', { time: momentText(operation.created_at) })}
          </Link>
          <Waits operation={operation} />
        </BlockStack>
      ))}
    </>
  )
}
