// One record of a list in a narrow window: its columns in lines, one below the other.
import { type ReactNode } from 'react'
import { BlockStack, Box, InlineStack, Text } from '../ui/index.ts'
import { type CardLayout, type Columns, type Line } from './record-columns.ts'

interface Props<Id extends string, Row> {
  row: Row
  columns: Columns<Id, Row>
  layout: CardLayout<Id>
  /** Selects the row. */
  checkbox: ReactNode
}

export function RecordCard<Id extends string, Row>({
  row,
  columns,
  layout,
  checkbox,
}: Props<Id, Row>) {
  const partOf = (id: Id): ReactNode => (columns[id].inCard ?? columns[id].cell)(row)
  const { lines, gap = '200', dense, picture, buttons } = layout
  const content = (
    <BlockStack gap={gap} inlineAlign={buttons || picture ? 'start' : undefined}>
      {lines.map((line, at) => (
        <CardLine key={at} line={line} partOf={partOf} />
      ))}
    </BlockStack>
  )
  return (
    <Box paddingInline="400" paddingBlock={dense ? '300' : '400'}>
      <div className="record-card">
        {picture ? (
          <div className="file-name">
            {checkbox}
            {partOf(picture)}
            {content}
          </div>
        ) : buttons ? (
          <InlineStack align="space-between" blockAlign="center" wrap={false} gap="300">
            {content}
            <div className="actions">{partOf(buttons)}</div>
          </InlineStack>
        ) : (
          content
        )}
      </div>
    </Box>
  )
}

function CardLine<Id extends string>({
  line,
  partOf,
}: {
  line: Line<Id>
  partOf: (id: Id) => ReactNode
}) {
  if (typeof line === 'string') return partOf(line)
  if ('facts' in line) {
    const facts = line.facts.map(partOf).filter((fact) => fact !== null && fact !== '')
    if (facts.length === 0) return null
    return (
      <Text as="span" variant="bodySm" tone="subdued" breakWord>
        {facts.join(' · ')}
      </Text>
    )
  }
  return (
    <InlineStack
      align="space-between"
      blockAlign={line.align ?? 'center'}
      gap="200"
      wrap={line.wrap ?? true}
    >
      {partOf(line.start)}
      {partOf(line.end)}
    </InlineStack>
  )
}
