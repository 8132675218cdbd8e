// An operation that was just started: its progress, and a button to undo it.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useChannels } from '../imports/channel-calls.ts'
import { usePlugins } from '../../shell/client/plugins.ts'
import { hasEnded, useAct, useOperation } from '../operations/calls.ts'
import { ArtifactButton } from '../operations/artifact.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Progress, StatusBadge } from '../operations/status.tsx'
import { BlockStack, Button, Card, CloseIcon, Text } from '../../shell/ui/index.ts'
import { toastText } from '../operations/operation-toast.ts'
import { statusWord } from '../operations/operation-status.ts'
import { t } from '../../shell/messages/t.ts'

/** Queries whose results a change of many files may have changed. */
const CHANGED = [
  'files',
  'file',
  'tags',
  'links',
  'packs',
  'reviews',
  'bytes',
  'activity',
  'deliveries',
  'new-files',
  'views',
]

interface Props {
  id: string
  /** The operation that undoes it is shown instead. */
  onReplaced: (id: string) => void
  onDismiss: () => void
}

export function OperationToast({ id, onReplaced, onDismiss }: Props) {
  const client = useQueryClient()
  const operation = useOperation(id).data
  const plugins = usePlugins().data?.data
  const channels = useChannels()
  const act = useAct()
  const place = useRef<HTMLDivElement>(null)
  const ended = operation !== undefined && hasEnded(operation)
  const there = operation !== undefined
  useEffect(() => place.current?.focus({ preventScroll: true }), [id, there])
  useEffect(() => {
    if (ended) for (const key of CHANGED) void client.invalidateQueries({ queryKey: [key] })
    // An undo can have ended before it is shown: `ended` is then true for both.
  }, [client, id, ended])
  if (!operation) return null
  const undo = () =>
    act.mutate({ id, action: 'undo' }, { onSuccess: (record) => onReplaced(record.id) })
  return (
    <div ref={place} tabIndex={-1} className="operation-toast">
      <Card>
        <BlockStack gap="300">
          <div className="operation-toast-row">
            <div className="operation-toast-text" role="status">
              <StatusBadge word={statusWord(operation)} />
              <Text as="span" fontWeight="medium">
                {toastText(operation, plugins, channels)}
              </Text>
            </div>
            <div className="operation-toast-progress">
              {!ended && <Progress operation={operation} />}
            </div>
            {ended && operation.artifact && <ArtifactButton artifact={operation.artifact} />}
            {operation.actions.includes('undo') && (
              <Button onClick={undo} loading={act.isPending}>
                {t('Undo')}
              </Button>
            )}
            <Button url={`/operations/${id}`}>{t('View details')}</Button>
            <Button
              icon={CloseIcon}
              variant="tertiary"
              accessibilityLabel={t('Dismiss')}
              onClick={onDismiss}
            />
          </div>
          {act.error && <Problem error={act.error} what={t('This could not be undone')} />}
        </BlockStack>
      </Card>
    </div>
  )
}
