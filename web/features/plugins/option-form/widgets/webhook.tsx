// One of the shop's webhooks: the address of a program.
import { useWebhooks } from '../../../webhooks/calls.ts'
import { t } from '../../../../shell/messages/t.ts'
import { Link } from '../../../../shell/ui/index.ts'
import { type FieldProps } from '../field-props.ts'
import { RecordPicker } from './record-picker.tsx'

export function WebhookPicker(props: FieldProps) {
  return (
    <RecordPicker
      {...props}
      query={useWebhooks()}
      labelOf={({ url, description }) => description || url}
      notLoaded={t('The webhooks could not be loaded')}
      deleted={{
        problem: t('This webhook was deleted: choose another one'),
        option: t('Deleted webhook'),
      }}
      helpOf={(chosen) =>
        chosen && !chosen.enabled
          ? t('This webhook is switched off: its program is not called.')
          : t('Its secret signs what the program is sent.')
      }
    >
      {(none) => (
        <Link url="/settings/webhooks">
          {none ? t('Create a webhook for the program') : t('Webhooks')}
        </Link>
      )}
    </RecordPicker>
  )
}
