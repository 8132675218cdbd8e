// One of the shop's records that a step needs, by its id. A record that was deleted is shown as such.
import { type ReactNode } from 'react'
import { t } from '../../../../shell/messages/t.ts'
import { BlockStack, Select } from '../../../../shell/ui/index.ts'
import { LoadProblem } from '../../../../shell/components/load-problem.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'

interface Props<Entry> extends Pick<
  FieldProps,
  'name' | 'schema' | 'value' | 'onChange' | 'path' | 'problems'
> {
  query: Parameters<typeof LoadProblem>[0]['query'] & {
    data?: { data: readonly Entry[] } | undefined
    isPending: boolean
  }
  labelOf: (entry: Entry) => string
  /** `problem`: the error below the field; `option`: its name in the list. */
  deleted: { problem: string; option: string }
  notLoaded: string
  /** What is said of the chosen record. */
  helpOf?: (chosen: Entry | undefined) => string
  /** Below the field: where records are created. */
  children: (none: boolean) => ReactNode
}

export function RecordPicker<Entry extends { id: string }>(props: Props<Entry>) {
  const { name, schema, value, onChange, path, problems, query, labelOf, deleted } = props
  const list = query.data?.data ?? []
  const chosen = typeof value === 'string' ? value : ''
  const found = list.find(({ id }) => id === chosen)
  const gone = chosen !== '' && query.data && !found
  return (
    <BlockStack gap="200">
      <LoadProblem query={query} what={props.notLoaded} />
      <Select
        id={fieldId(path)}
        label={titleOf(schema, name)}
        error={gone ? deleted.problem : problems.within(path)}
        helpText={props.helpOf?.(found)}
        disabled={query.isPending}
        requiredIndicator
        options={[
          { value: '', label: t('Choose') },
          ...list.map((entry) => ({ value: entry.id, label: labelOf(entry) })),
          ...(gone ? [{ value: chosen, label: deleted.option }] : []),
        ]}
        value={chosen}
        onChange={(id) => onChange(id === '' ? undefined : id)}
      />
      {props.children(list.length === 0)}
    </BlockStack>
  )
}
