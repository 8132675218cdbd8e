// One of the shop's lists of licence keys.
import { useLicenceLists } from '../../../preparation/calls.ts'
import { licenceCounts } from '../../../preparation/labels.ts'
import { t } from '../../../../shell/messages/t.ts'
import { BlockStack, Link, Select } from '../../../../shell/ui/index.ts'
import { LoadProblem } from '../../../../shell/components/load-problem.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'

export function LicenceListPicker({ name, schema, value, onChange, path, problems }: FieldProps) {
  const lists = useLicenceLists()
  const list = lists.data?.data ?? []
  const chosen = typeof value === 'string' ? value : ''
  const gone = chosen !== '' && lists.data && !list.some(({ id }) => id === chosen)
  const error = gone ? t('This list was deleted: choose another one') : problems.within(path)
  return (
    <BlockStack gap="200">
      <LoadProblem query={lists} what={t('The lists could not be loaded')} />
      <Select
        id={fieldId(path)}
        label={titleOf(schema, name)}
        error={error}
        disabled={lists.isPending}
        requiredIndicator
        options={[
          { value: '', label: t('Choose') },
          ...list.map((one) => ({ value: one.id, label: `${one.name} (${licenceCounts(one)})` })),
          ...(gone ? [{ value: chosen, label: t('Deleted list') }] : []),
        ]}
        value={chosen}
        onChange={(id) => onChange(id === '' ? undefined : id)}
      />
      <Link url="/settings/licences">
        {list.length === 0 ? t('Create a list of licence keys') : t('Lists of licence keys')}
      </Link>
    </BlockStack>
  )
}
