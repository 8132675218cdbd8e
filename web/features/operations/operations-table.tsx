// The operations of one page; on a narrow screen a list instead of a table.
import { type CSSProperties } from 'react'
import { useChannels } from '../imports/channel-calls.ts'
import { isMoving } from './calls.ts'
import { type Operation, type OperationAction } from '../../shell/client/types.ts'
import { useOperationActions } from './operation-actions.tsx'
import { Progress, StatusBadge } from './status.tsx'
import { useRequester } from './use-requester.ts'
import { usePageChannels } from '../../shell/feature.ts'
import { RowsTable } from '../../shell/components/rows-table.tsx'
import {
  BlockStack,
  Box,
  Button,
  IndexTable,
  InlineStack,
  Link,
  Text,
  useBreakpoints,
} from '../../shell/ui/index.ts'
import { labelText, operationTitle } from './labels.ts'
import { isPreview, statusWord } from './operation-status.ts'
import { numberText } from '../../shell/labels/size.ts'
import { durationText, momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

export function OperationsTable({ operations }: { operations: readonly Operation[] }) {
  const { lgDown: narrow } = useBreakpoints()
  return (
    <RowsTable
      names={{ singular: t('operation'), plural: t('operations') }}
      headings={[
        { title: t('Operation') },
        { title: t('Date') },
        { title: t('Status') },
        { title: t('Files') },
        { title: t('Errors'), alignment: 'end' },
        { title: t('Duration') },
        { title: t('Started by') },
        { title: t('Actions'), hidden: true },
      ]}
      narrow={narrow}
      rows={operations}
    >
      {(operation) =>
        narrow ? <NarrowRow operation={operation} /> : <WideRow operation={operation} />
      }
    </RowsTable>
  )
}

function Name({ operation }: { operation: Operation }) {
  return (
    <Link url={`/operations/${operation.id}`} dataPrimaryLink monochrome removeUnderline>
      <Text as="span" fontWeight="semibold">
        {operationTitle(operation, useChannels())}
      </Text>
    </Link>
  )
}

const duration = (operation: Operation): string =>
  operation.started_at === null
    ? ''
    : isMoving(operation)
      ? t('{duration} so far', { duration: durationText(operation.elapsed_seconds) })
      : durationText(operation.elapsed_seconds)

function WideRow({ operation }: { operation: Operation }) {
  const requester = useRequester()(operation.requested_by)
  const title = operationTitle(operation, useChannels())
  const label = labelText(operation, usePageChannels())
  return (
    <>
      <IndexTable.Cell>
        <span className="cut" style={{ '--cut': '220px' } as CSSProperties} title={label ?? title}>
          <Name operation={operation} />
          {label !== null && (
            <Text as="p" variant="bodySm" tone="subdued" truncate>
              {label}
            </Text>
          )}
        </span>
      </IndexTable.Cell>
      <IndexTable.Cell>{momentText(operation.created_at)}</IndexTable.Cell>
      <IndexTable.Cell>
        <StatusBadge word={statusWord(operation)} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Progress operation={operation} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Text
          as="span"
          alignment="end"
          numeric
          tone={operation.failed > 0 ? 'critical' : 'subdued'}
        >
          {numberText(operation.failed)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell className="tabular">{duration(operation)}</IndexTable.Cell>
      <IndexTable.Cell>
        <span className="cut" style={{ '--cut': '150px' } as CSSProperties} title={requester}>
          {requester}
        </span>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <RowActions operation={operation} />
      </IndexTable.Cell>
    </>
  )
}

function NarrowRow({ operation }: { operation: Operation }) {
  const requester = useRequester()(operation.requested_by)
  const facts = [
    labelText(operation, usePageChannels()) ?? '',
    momentText(operation.created_at),
    requester,
    duration(operation),
    operation.failed > 0
      ? t('{failed, plural, one {# error} other {# errors}}', { failed: operation.failed })
      : '',
  ]
  return (
    <Box padding="400">
      <BlockStack gap="200">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Name operation={operation} />
          <StatusBadge word={statusWord(operation)} />
        </InlineStack>
        <Progress operation={operation} />
        <Text as="span" variant="bodySm" tone="subdued" breakWord>
          {facts.filter((fact) => fact !== '').join(' · ')}
        </Text>
        <RowActions operation={operation} />
      </BlockStack>
    </Box>
  )
}

const SHORT: Partial<Record<OperationAction, string>> = {
  pause: t('Pause'),
  resume: t('Resume'),
  cancel: t('Cancel'),
}

const shortText = (action: OperationAction, operation: Operation): string | undefined =>
  action === 'cancel' && isPreview(operation) ? t('Discard') : SHORT[action]

/** Actions without further input; the others are on the operation's page. */
function RowActions({ operation }: { operation: Operation }) {
  const { buttons, question, error } = useOperationActions(operation)
  const title = operationTitle(operation, useChannels())
  const shown = buttons.filter(({ action }) => action in SHORT)
  if (shown.length === 0 && !question && !error) return null
  return (
    // The row is a link to the operation; its buttons are not.
    <div className="row-actions" onClick={(event) => event.stopPropagation()}>
      {shown.map(({ action, onAction, loading, disabled }) => (
        <Button
          key={action}
          size="slim"
          tone={action === 'cancel' ? 'critical' : undefined}
          onClick={onAction}
          loading={loading}
          disabled={disabled}
          accessibilityLabel={`${shortText(action, operation)}: ${title}`}
        >
          {shortText(action, operation)}
        </Button>
      ))}
      {error && (
        <span role="alert">
          <Text as="span" tone="critical" variant="bodySm" breakWord>
            {error.message}
          </Text>
        </span>
      )}
      {question}
    </div>
  )
}
