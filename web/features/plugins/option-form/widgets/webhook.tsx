// One of the shop's webhooks: the address of a program.
import { useWebhooks } from '../../../webhooks/calls.ts'
import { t } from '../../../../shell/messages/t.ts'
import { BlockStack, Link, Select } from '../../../../shell/ui/index.ts'
import { LoadProblem } from '../../../../shell/components/load-problem.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'

export function WebhookPicker({ name, schema, value, onChange, path, problems }: FieldProps) {
  const webhooks = useWebhooks()
  const list = webhooks.data?.data ?? []
  const chosen = typeof value === 'string' ? value : ''
  const found = list.find(({ id }) => id === chosen)
  const gone = chosen !== '' && webhooks.data && !found
  const error = gone ? t('This webhook was deleted: choose another one') : problems.within(path)
  return (
    <BlockStack gap="200">
      <LoadProblem query={webhooks} what={t('The webhooks could not be loaded')} />
      <Select
        id={fieldId(path)}
        label={titleOf(schema, name)}
        error={error}
        helpText={
          found && !found.enabled
            ? t('This webhook is switched off: its program is not called.')
            : t('Its secret signs what the program is sent.')
        }
        disabled={webhooks.isPending}
        requiredIndicator
        options={[
          { value: '', label: t('Choose') },
          ...list.map(({ id, url, description }) => ({ value: id, label: description || url })),
          ...(gone ? [{ value: chosen, label: t('Deleted webhook') }] : []),
        ]}
        value={chosen}
        onChange={(id) => onChange(id === '' ? undefined : id)}
      />
      <Link url="/settings/webhooks">
        {list.length === 0 ? t('Create a webhook for the program') : t('Webhooks')}
      </Link>
    </BlockStack>
  )
}
