// Deletes the chosen files: into the trash, with what that means for the products that they are mapped to.
import { useState } from 'react'
import { useStartOperation } from '../../../client/operations.ts'
import { Banner, Checkbox, ChoiceList, Text } from '../../../ui/index.ts'
import { impactText, mappedText } from '../../../words/impact.ts'
import { countText, numberText } from '../../../words/size.ts'
import { BulkDialog, type BulkProps, type Work } from './bulk-dialog.tsx'
import { type Impact, useImpact } from './impact.ts'

const TRASH_DAYS = 7

/** What becomes of files that are mapped to products. */
type Way = 'delete' | 'delete-mappings' | 'unmap'

export function DeleteDialog(props: BulkProps) {
  const { chosen } = props
  const start = useStartOperation()
  const [way, setWay] = useState<Way>('delete')
  const [backup, setBackup] = useState(false)
  const impact = useImpact(chosen)
  const unmaps = impact.mapped !== 0 && way === 'unmap'
  const files = countText(chosen.count, 'file', 'files')
  const work = (): Work => {
    const remove_mappings = impact.mapped !== 0 && way === 'delete-mappings'
    if (unmaps) return { action: 'unmap-products', options: {} }
    if (backup && 'file_ids' in chosen.select)
      return { file_ids: chosen.select.file_ids, remove_mappings, backup_first: true }
    return { action: 'delete-files', options: { remove_mappings } }
  }
  return (
    <BulkDialog
      {...props}
      title={`Delete ${files}?`}
      run={unmaps ? 'Remove mappings' : `Delete ${files}`}
      destructive
      start={start}
      error={start.error}
      preview={backup && !unmaps ? 'none' : 'offered'}
      note={
        backup && !unmaps
          ? 'A deletion with a backup can’t be previewed. A file that can’t be backed up is not deleted.'
          : undefined
      }
      work={work}
    >
      <Text as="p">
        {`${chosen.count === 1 ? 'It stays' : 'They stay'} in the trash for ${numberText(TRASH_DAYS)} days and can be restored until then. `}
        {`${chosen.count === 1 ? 'Its' : 'Their'} download links stop working at once${liveText(impact)}.`}
      </Text>
      {impact.mapped !== 0 && <MappedFiles impact={impact} count={chosen.count} way={way} onWay={setWay} />}
      {'file_ids' in chosen.select && !unmaps && (
        <Checkbox
          label="Back up first"
          helpText="Copies each file to the backup location and reads the copy back before the file is deleted."
          checked={backup}
          onChange={setBackup}
        />
      )}
    </BulkDialog>
  )
}

const liveText = ({ links }: Impact): string =>
  links === null || links === 0 ? '' : `, ${countText(links, 'live one', 'live ones')} among them`

interface MappedProps {
  impact: Impact
  count: number
  way: Way
  onWay: (way: Way) => void
}

function MappedFiles({ impact, count, way, onWay }: MappedProps) {
  return (
    <>
      <Banner tone="warning" title={mappedText(impact.mapped, count)}>
        <p>{impactText(impact)}</p>
      </Banner>
      <ChoiceList
        title="What to do"
        selected={[way]}
        onChange={([next]) => onWay(next as Way)}
        choices={[
          {
            value: 'delete',
            label: 'Delete the files, keep their mappings',
            helpText: 'A file that is restored belongs to its products again, and its links work again.',
          },
          {
            value: 'delete-mappings',
            label: 'Delete the files and their mappings',
            helpText: 'A file that is restored belongs to no product. Undoing the deletion brings its products back.',
          },
          {
            value: 'unmap',
            label: 'Keep the files and remove their mappings only',
            helpText: 'Nothing is deleted. Their links stop until they are mapped to a product again.',
          },
        ]}
      />
    </>
  )
}
