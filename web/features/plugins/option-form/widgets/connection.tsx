// One of the shop's cloud connections.
import { useConnections } from '../../../cloud/calls.ts'
import { t } from '../../../../shell/messages/t.ts'
import { Link } from '../../../../shell/ui/index.ts'
import { type FieldProps } from '../field-props.ts'
import { RecordPicker } from './record-picker.tsx'

export function ConnectionPicker(props: FieldProps) {
  return (
    <RecordPicker
      {...props}
      query={useConnections()}
      labelOf={({ name, provider_title }) =>
        name.startsWith(provider_title) ? name : `${name} · ${provider_title}`
      }
      notLoaded={t('The connections could not be loaded')}
      deleted={{
        problem: t('This connection was deleted: choose another one'),
        option: t('Deleted connection'),
      }}
      helpOf={(chosen) =>
        chosen && chosen.state !== 'ready'
          ? t('This connection does not work at the moment: nothing can be written to it.')
          : t('Its keys must be allowed to write.')
      }
    >
      {(none) => (
        <Link url="/import/connections">
          {none ? t('Create a connection') : t('Cloud connections')}
        </Link>
      )}
    </RecordPicker>
  )
}
