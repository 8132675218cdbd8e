// One of the shop's lists of licence keys.
import { useLicenceLists } from '../../../preparation/calls.ts'
import { licenceCounts } from '../../../preparation/labels.ts'
import { t } from '../../../../shell/messages/t.ts'
import { Link } from '../../../../shell/ui/index.ts'
import { type FieldProps } from '../field-props.ts'
import { RecordPicker } from './record-picker.tsx'

export function LicenceListPicker(props: FieldProps) {
  return (
    <RecordPicker
      {...props}
      query={useLicenceLists()}
      labelOf={(list) => `${list.name} (${licenceCounts(list)})`}
      notLoaded={t('The lists could not be loaded')}
      deleted={{
        problem: t('This list was deleted: choose another one'),
        option: t('Deleted list'),
      }}
    >
      {(none) => (
        <Link url="/settings/licences">
          {none ? t('Create a list of licence keys') : t('Lists of licence keys')}
        </Link>
      )}
    </RecordPicker>
  )
}
