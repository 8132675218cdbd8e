// A table whose rows cannot be selected; on a narrow screen it is drawn as a list.
import { type ComponentProps, type ReactNode } from 'react'
import { IndexTable } from '../ui/index.ts'

interface Props<Row> {
  /** The name of one row and of several. */
  names: { singular: string; plural: string }
  headings: ComponentProps<typeof IndexTable>['headings']
  narrow: boolean
  rows: readonly Row[]
  /** The cells of a row; on a narrow screen, its only content. */
  children: (row: Row) => ReactNode
}

export const RowsTable = <Row extends { id: string }>(props: Props<Row>) => (
  <IndexTable
    resourceName={props.names}
    itemCount={props.rows.length}
    selectable={false}
    condensed={props.narrow}
    headings={props.headings}
  >
    {props.rows.map((row, position) => (
      <IndexTable.Row key={row.id} id={row.id} position={position}>
        {props.children(row)}
      </IndexTable.Row>
    ))}
  </IndexTable>
)
