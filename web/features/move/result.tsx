// The import of an export: its progress, its result, and its undo.
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { type Operation } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { isMoving, useOperation } from '../operations/calls.ts'
import { useOperationActions } from '../operations/operation-actions.tsx'
import { Progress } from '../operations/status.tsx'
import { type Move } from './calls.ts'
import { resultTitle } from './labels.ts'

export function MoveResult({ move }: { move: Move }) {
  const operation = useOperation(move.operation_id)
  if (move.operation_id === null)
    return (
      <Card>
        <Text as="p">{t('The import is no longer in the history.')}</Text>
      </Card>
    )
  return (
    <>
      <LoadProblem query={operation} what={t('The import could not be loaded')} />
      {operation.data && <Imported move={move} operation={operation.data} />}
    </>
  )
}

function Imported({ move, operation }: { move: Move; operation: Operation }) {
  const { buttons, question, error } = useOperationActions(operation)
  const undone = operation.status === 'undone' || operation.undone_by !== null
  const isMoved = operation.status === 'success' || operation.status === 'partial'
  return (
    <Titled title={resultTitle(move.kind, undone ? 'undone' : operation.status)}>
      <BlockStack gap="300">
        {error && <Problem error={error} what={t('This could not be done')} />}
        <Progress operation={operation} wide />
        {undone && <Text as="p">{undoneText(move)}</Text>}
        <InlineStack gap="200" blockAlign="center">
          {buttons.map(({ action, content, loading, disabled, destructive, onAction }) => (
            <Button
              key={action}
              loading={loading}
              disabled={disabled}
              {...(destructive ? { tone: 'critical' as const } : {})}
              onClick={onAction}
            >
              {content}
            </Button>
          ))}
          <Link url={`/operations/${operation.id}`}>{t('Show the operation')}</Link>
          {move.kind === 'files' ? (
            <Link url="/files">{t('Show files')}</Link>
          ) : (
            <Link url="/links">{t('Show links')}</Link>
          )}
        </InlineStack>
        {isMoving(operation) && (
          <Text as="p" tone="subdued" variant="bodySm">
            {t('It continues when you close this page.')}
          </Text>
        )}
        {move.kind === 'files' && isMoved && !undone && (
          <Text as="p">
            {t('Next: choose the export of your buyers, so that they keep their access.')}{' '}
            <Link url="/import/move">{t('Choose an export')}</Link>
          </Text>
        )}
        {question}
      </BlockStack>
    </Titled>
  )
}

const undoneText = ({ kind }: Move): string =>
  kind === 'files'
    ? t('Its files are in the trash. Choose the export again to import it again.')
    : t('Its links no longer work. Choose the export again to create new ones.')
