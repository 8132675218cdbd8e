// The options of a deletion, with what it means for the files' products.
import { Banner, Checkbox, ChoiceList } from '../../../shell/ui/index.ts'
import { impactText, mappedText } from '../../../shell/files/impact-labels.ts'
import { type Deletion, onlyUnmaps } from './deletion.ts'
import { type Impact } from './impact.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  deletion: Deletion
  impact: Impact
  /** The number of files. */
  count: number
  /** Is removing their products offered instead? */
  unmaps: boolean
  onChange: (part: Partial<Deletion>) => void
}

export function DeletionFields(props: Props) {
  const { deletion, impact, onChange } = props
  return (
    <>
      {impact.mapped !== 0 && !impact.asking && <MappedFiles {...props} />}
      {!onlyUnmaps(deletion, impact.mapped) && (
        <Checkbox
          label={t('Back up first')}
          helpText={t(
            'Copies each file to the backup location and reads the copy back before the file is deleted. A file that can’t be backed up is not deleted.',
          )}
          checked={deletion.backup}
          onChange={(backup) => onChange({ backup })}
        />
      )}
    </>
  )
}

function MappedFiles({ deletion: { way }, impact, count, unmaps, onChange }: Props) {
  return (
    <>
      <Banner tone="warning" title={mappedText(impact.mapped, count)}>
        <p>{impactText(impact)}</p>
      </Banner>
      <ChoiceList
        title={t('What to do')}
        selected={[way]}
        onChange={([next]) => onChange({ way: next as Deletion['way'] })}
        choices={WAYS.filter(({ value }) => unmaps || value !== 'unmap')}
      />
    </>
  )
}

const WAYS = [
  {
    value: 'delete',
    label: t('Delete the files, keep their mappings'),
    helpText: t('A file that is restored belongs to its products again, and its links work again.'),
  },
  {
    value: 'delete-mappings',
    label: t('Delete the files and their mappings'),
    helpText: t(
      'A file that is restored belongs to no product. Undoing the deletion brings its products back.',
    ),
  },
  {
    value: 'unmap',
    label: t('Keep the files and remove their mappings only'),
    helpText: t('Nothing is deleted. Their links stop until they are mapped to a product again.'),
  },
]
