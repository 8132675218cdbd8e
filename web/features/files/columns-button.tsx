// The button that chooses the columns of the list.
import { useState } from 'react'
import { BlockStack, Box, Button, ChoiceList, ColumnsIcon, Popover } from '../../shell/ui/index.ts'
import { ALL_COLUMNS, LIST_COLUMNS, type ListColumn, STANDARD_COLUMNS } from './columns.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  columns: readonly ListColumn[]
  onChange: (columns: readonly ListColumn[]) => void
}

export function ColumnsButton({ columns, onChange }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <div style={{ paddingInlineStart: 'var(--p-space-200)' }}>
      <Popover
        active={open}
        onClose={() => setOpen(false)}
        preferredAlignment="right"
        activator={
          <Button
            icon={ColumnsIcon}
            accessibilityLabel={t('Columns of the list')}
            onClick={() => setOpen(!open)}
          />
        }
      >
        <Box padding="400">
          <BlockStack gap="300">
            <ChoiceList
              title={t('Columns')}
              allowMultiple
              selected={[...columns]}
              onChange={(chosen: string[]) =>
                onChange(ALL_COLUMNS.filter((column) => chosen.includes(column)))
              }
              choices={ALL_COLUMNS.map((column) => ({
                value: column,
                label: LIST_COLUMNS[column],
              }))}
            />
            <Button variant="plain" textAlign="start" onClick={() => onChange(STANDARD_COLUMNS)}>
              {t('Standard columns')}
            </Button>
          </BlockStack>
        </Box>
      </Popover>
    </div>
  )
}
