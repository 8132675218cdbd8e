// The columns of the list, in the popover of their button.
import { BlockStack, Button, ChoiceList } from '../../shell/ui/index.ts'
import { ALL_COLUMNS, LIST_COLUMNS, type ListColumn, STANDARD_COLUMNS } from './columns.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  columns: readonly ListColumn[]
  onChange: (columns: readonly ListColumn[]) => void
}

export const ColumnsChoice = ({ columns, onChange }: Props) => (
  <BlockStack gap="300">
    <ChoiceList
      title={t('Columns')}
      allowMultiple
      selected={[...columns]}
      onChange={(chosen: string[]) =>
        onChange(ALL_COLUMNS.filter((column) => chosen.includes(column)))
      }
      choices={ALL_COLUMNS.map((column) => ({ value: column, label: LIST_COLUMNS[column] }))}
    />
    <Button variant="plain" textAlign="start" onClick={() => onChange(STANDARD_COLUMNS)}>
      {t('Standard columns')}
    </Button>
  </BlockStack>
)
