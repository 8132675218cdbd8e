// Writes a list of files as a document that can be fetched: which files, which columns, in which form.
import { useState } from 'react'
import { useStartOperation } from '../../../client/operations.ts'
import { type Selection } from '../../../client/types.ts'
import { Button, Checkbox, ChoiceList, InlineStack } from '../../../ui/index.ts'
import { filterTexts } from '../../../labels/filter.ts'
import { countText } from '../../../labels/size.ts'
import { type Chosen } from '../selection.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { FormError } from './form-error.tsx'

/** In the order in which they are written. Addresses and ids are left out unless they are asked for. */
const COLUMNS = [
  {
    value: 'id',
    label: 'File ID',
    off: true,
    help: 'With it, a changed list can be imported again and changes these files.',
  },
  { value: 'filename', label: 'Filename' },
  { value: 'size_bytes', label: 'File size' },
  { value: 'upload_date', label: 'Upload date' },
  { value: 'products', label: 'Product mappings' },
  { value: 'tags', label: 'Tags' },
  { value: 'downloads', label: 'Download count' },
  { value: 'expiry_days', label: 'Expiry settings' },
  { value: 'download_limit', label: 'Download limits' },
  {
    value: 'url',
    label: 'File URLs',
    off: true,
    help: 'Left out by default: whoever has the list would have them too.',
  },
]
const USUAL = COLUMNS.filter(({ off }) => !off).map(({ value }) => value)
/** Those that have to be asked for stand last. */
const OFFERED = COLUMNS.toSorted((one, other) => Number(one.off ?? false) - Number(other.off ?? false))

type Which = 'chosen' | 'list' | 'all'

export function ExportDialog(props: BulkProps) {
  const start = useStartOperation()
  const choices = choicesFor(props.chosen)
  const [which, setWhich] = useState<Which>(choices[0]!.value)
  const [format, setFormat] = useState('csv')
  const [columns, setColumns] = useState<readonly string[]>(USUAL)
  const { select, count } = choices.find(({ value }) => value === which)!
  const files = count === null ? 'files' : countText(count, 'file', 'files')
  return (
    <BulkDialog
      {...props}
      chosen={{ ...props.chosen, select, count: count ?? props.chosen.count }}
      title="Export"
      run={`Export ${files}`}
      preview="none"
      note="The document is kept with the operation, in Operations, and can be downloaded there again."
      start={start}
      error={start.error}
      work={() =>
        columns.length === 0
          ? null
          : {
              action: 'export-files',
              options: {
                format,
                columns: COLUMNS.map(({ value }) => value).filter((value) => columns.includes(value)),
              },
            }
      }
    >
      <FormError text={columns.length === 0 ? 'Choose at least one column' : undefined} />
      {choices.length > 1 && (
        <ChoiceList
          title="Which files"
          selected={[which]}
          choices={choices}
          onChange={([next]) => setWhich(next as Which)}
        />
      )}
      <ChoiceList
        title="Format"
        selected={[format]}
        choices={[
          { value: 'csv', label: 'CSV, for spreadsheets and for importing again' },
          { value: 'json', label: 'JSON, for programs' },
        ]}
        onChange={([next]) => setFormat(next!)}
      />
      <Columns columns={columns} onChange={setColumns} />
    </BulkDialog>
  )
}

interface ColumnsProps {
  columns: readonly string[]
  onChange: (columns: readonly string[]) => void
}

function Columns({ columns, onChange }: ColumnsProps) {
  const toggle = (value: string, on: boolean) =>
    onChange(on ? [...columns, value] : columns.filter((other) => other !== value))
  return (
    <fieldset className="plain-set">
      <legend>Columns</legend>
      <div className="pairs tight">
        {OFFERED.map(({ value, label, help }) => (
          <Checkbox
            key={value}
            label={label}
            helpText={help}
            checked={columns.includes(value)}
            onChange={(on) => toggle(value, on)}
          />
        ))}
      </div>
      <InlineStack gap="300">
        <Button variant="plain" onClick={() => onChange(USUAL)}>
          The usual columns
        </Button>
        <Button variant="plain" onClick={() => onChange(COLUMNS.map(({ value }) => value))}>
          All columns
        </Button>
      </InlineStack>
    </fieldset>
  )
}

interface WhichFiles {
  value: Which
  label: string
  select: Selection
  count: number | null
}

/** What is ticked, what the list's filters leave, or all that there is: each only where it is not another of them. */
function choicesFor({ select, count, list }: Chosen): WhichFiles[] {
  const narrowed = filterTexts(list.filter)
  const choices: WhichFiles[] = []
  if (count > 0 && 'file_ids' in select)
    choices.push({
      value: 'chosen',
      label: `The ${countText(count, 'selected file', 'selected files')}`,
      select,
      count,
    })
  if (narrowed.length > 0 || list.filter.deleted)
    choices.push({
      value: 'list',
      label: `The ${countText(list.total, 'file that matches', 'files that match')}: ${narrowed.join('; ') || 'in the trash'}`,
      select: { filter: list.filter },
      count: list.total,
    })
  if (!list.filter.deleted)
    choices.push({
      value: 'all',
      label: 'All files',
      select: { filter: {} },
      count: narrowed.length === 0 ? list.total : null,
    })
  return choices
}
