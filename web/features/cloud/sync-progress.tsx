// The progress of a running sync: first the provider's list, then files and bytes.
import { type Connection } from './calls.ts'
import { isMoving, useOperation } from '../operations/calls.ts'
import { Flow } from '../operations/flow.tsx'
import { useOperationActions } from '../operations/operation-actions.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Progress } from '../operations/status.tsx'
import { type Operation } from '../../shell/client/types.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, InlineStack, SmallPrint } from '../../shell/ui/index.ts'

type SyncState = NonNullable<Connection['progress']>

interface Props {
  progress: SyncState
  /** Also shows the bytes, and buttons to pause and cancel. */
  wide?: boolean
}

export function SyncProgress({ progress, wide = false }: Props) {
  const operation = useOperation(progress.operation_id)
  const counted = progress.phase === 'syncing' && operation.data && operation.data.total > 0
  return (
    <BlockStack gap="200">
      {counted ? (
        <Progress operation={operation.data!} wide={wide} />
      ) : (
        <Listing listed={progress.listed} />
      )}
      {wide && operation.data && <Controls operation={operation.data} />}
    </BlockStack>
  )
}

const Listing = ({ listed }: { listed: number }) => (
  <div className="progress">
    <Flow label={t('Listing the folder')} />
    <SmallPrint>
      <span className="tabular">
        {t('{listed, plural, =0 {Reading the folder} one {# file found} other {# files found}}', {
          listed,
        })}
      </span>
    </SmallPrint>
  </div>
)

function Controls({ operation }: { operation: Operation }) {
  const { buttons, question, error } = useOperationActions(operation)
  return (
    <>
      {error && <Problem error={error} what={t('That could not be done')} />}
      <InlineStack gap="200" blockAlign="center">
        {buttons.map(({ action, content, destructive, loading, disabled, onAction }) => (
          <Button
            key={action}
            variant={action === 'confirm' ? 'primary' : undefined}
            tone={destructive ? 'critical' : undefined}
            loading={loading}
            disabled={disabled}
            onClick={onAction}
          >
            {content}
          </Button>
        ))}
        {isMoving(operation) && operation.bytes > 0 && (
          <SmallPrint>{t('{size} so far', { size: sizeText(operation.bytes) })}</SmallPrint>
        )}
        <Button variant="plain" url={`/operations/${operation.id}`}>
          {t('See every file')}
        </Button>
      </InlineStack>
      {question}
    </>
  )
}

/** The actions on a sync that is not running: confirm, discard, retry, undo. */
export function SyncActions({ id }: { id: string }) {
  const operation = useOperation(id)
  return operation.data ? <Controls operation={operation.data} /> : null
}
