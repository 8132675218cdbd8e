// The operations of one page; on a narrow screen a list instead of a table.
import { type CSSProperties } from 'react'
import { type Operation } from '../../client/types.ts'
import { isMoving } from '../../client/operations.ts'
import { Progress, StatusBadge } from '../../components/status.tsx'
import { BlockStack, Box, IndexTable, InlineStack, Link, Text, useBreakpoints } from '../../ui/index.ts'
import { OPERATION_STATUSES, operationTitle } from '../../words/operation.ts'
import { countText, numberText } from '../../words/size.ts'
import { durationText, momentText } from '../../words/time.ts'

export function OperationsTable({ operations }: { operations: readonly Operation[] }) {
  const { lgDown: narrow } = useBreakpoints()
  return (
    <IndexTable
      resourceName={{ singular: 'operation', plural: 'operations' }}
      itemCount={operations.length}
      selectable={false}
      condensed={narrow}
      headings={[
        { title: 'Operation' },
        { title: 'Status' },
        { title: 'Progress' },
        { title: 'Errors', alignment: 'end' },
        { title: 'Started by' },
        { title: 'When' },
        { title: 'Duration' },
      ]}
    >
      {operations.map((operation, position) => (
        <IndexTable.Row key={operation.id} id={operation.id} position={position}>
          {narrow ? <NarrowRow operation={operation} /> : <WideRow operation={operation} />}
        </IndexTable.Row>
      ))}
    </IndexTable>
  )
}

function Name({ operation }: { operation: Operation }) {
  return (
    <Link url={`/operations/${operation.id}`} dataPrimaryLink monochrome removeUnderline>
      <Text as="span" fontWeight="semibold">
        {operationTitle(operation)}
      </Text>
    </Link>
  )
}

const duration = (operation: Operation): string =>
  operation.started_at === null
    ? ''
    : `${durationText(operation.elapsed_seconds)}${isMoving(operation) ? ' so far' : ''}`

function WideRow({ operation }: { operation: Operation }) {
  return (
    <>
      <IndexTable.Cell>
        <Name operation={operation} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <StatusBadge word={OPERATION_STATUSES[operation.status]} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Progress operation={operation} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Text as="span" alignment="end" numeric tone={operation.failed > 0 ? 'critical' : 'subdued'}>
          {numberText(operation.failed)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <span className="cut" style={{ '--cut': '160px' } as CSSProperties} title={operation.requested_by}>
          {operation.requested_by}
        </span>
      </IndexTable.Cell>
      <IndexTable.Cell>{momentText(operation.created_at)}</IndexTable.Cell>
      <IndexTable.Cell className="tabular">{duration(operation)}</IndexTable.Cell>
    </>
  )
}

function NarrowRow({ operation }: { operation: Operation }) {
  const facts = [
    momentText(operation.created_at),
    duration(operation),
    operation.failed > 0 ? countText(operation.failed, 'error', 'errors') : '',
  ]
  return (
    <Box padding="400">
      <BlockStack gap="200">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Name operation={operation} />
          <StatusBadge word={OPERATION_STATUSES[operation.status]} />
        </InlineStack>
        <Progress operation={operation} />
        <Text as="span" variant="bodySm" tone="subdued">
          {facts.filter((fact) => fact !== '').join(' · ')}
        </Text>
      </BlockStack>
    </Box>
  )
}
