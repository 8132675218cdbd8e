// An operation that was just started here: how far it is, and the way to undo it while one still looks.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { hasEnded, useAct, useOperation } from '../../client/operations.ts'
import { type Operation } from '../../client/types.ts'
import { Problem } from '../../components/problem.tsx'
import { Progress } from '../../components/status.tsx'
import { Banner, BlockStack } from '../../ui/index.ts'
import { launchedText } from '../../words/launched.ts'

interface Props {
  id: string
  /** Another operation takes its place: the one that undoes it. */
  onReplaced: (id: string) => void
  onDismiss: () => void
}

export function Launched({ id, onReplaced, onDismiss }: Props) {
  const client = useQueryClient()
  const operation = useOperation(id).data
  const act = useAct()
  const place = useRef<HTMLDivElement>(null)
  const ended = operation !== undefined && hasEnded(operation)
  useEffect(() => place.current?.focus(), [id])
  useEffect(() => {
    if (!ended) return
    for (const key of ['files', 'file', 'tags', 'links']) void client.invalidateQueries({ queryKey: [key] })
  }, [client, ended])
  if (!operation) return null
  const undo = () => act.mutate({ id, action: 'undo' }, { onSuccess: (record: Operation) => onReplaced(record.id) })
  return (
    <div ref={place} tabIndex={-1} className="launched">
      <Banner
        title={launchedText(operation)}
        tone={toneOf(operation)}
        action={
          operation.actions.includes('undo') ? { content: 'Undo', loading: act.isPending, onAction: undo } : undefined
        }
        secondaryAction={{ content: 'View details', url: `/operations/${id}` }}
        onDismiss={onDismiss}
      >
        {(!ended || act.error) && (
          <BlockStack gap="200">
            {!ended && <Progress operation={operation} />}
            {act.error && <Problem error={act.error} what="This could not be undone" />}
          </BlockStack>
        )}
      </Banner>
    </div>
  )
}

function toneOf({ status, failed }: Operation): 'info' | 'success' | 'warning' | 'critical' {
  if (status === 'success') return 'success'
  if (status === 'failed') return 'critical'
  return status === 'partial' || failed > 0 ? 'warning' : 'info'
}
