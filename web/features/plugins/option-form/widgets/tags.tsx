// Tags with templates to pick from, and one tag with the number of files that have it.
import { useTags } from '../../../../shell/client/queries.ts'
import { BlockStack, TextField } from '../../../../shell/ui/index.ts'
import { TagWords } from '../../../../shell/files/filter-fields.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'
import { TagTemplates } from './tag-templates.tsx'
import { t } from '../../../../shell/messages/t.ts'

export function SavedTags({ name, schema, value, onChange, path, problems }: FieldProps) {
  const tags = Array.isArray(value) ? value.map(String) : []
  return (
    <BlockStack gap="200">
      <TagWords
        id={fieldId(path)}
        label={titleOf(schema, name)}
        placeholder={t('Type a tag and press Enter')}
        error={problems.within(path)}
        value={tags}
        onChange={onChange}
      />
      <TagTemplates tags={tags} onPick={onChange} />
    </BlockStack>
  )
}

export function TagInUse({ name, schema, required, value, onChange, path, problems }: FieldProps) {
  const inUse = useTags().data?.data ?? []
  const text = typeof value === 'string' ? value : ''
  const known = inUse.find(({ tag }) => tag === text.trim())
  return (
    <TextField
      id={fieldId(path)}
      label={titleOf(schema, name)}
      value={text}
      error={problems.within(path)}
      helpText={
        known
          ? t('{files, plural, one {# file has} other {# files have}} this tag', {
              files: known.files,
            })
          : schema.description
      }
      onChange={(next) => onChange(next === '' && !required ? undefined : next)}
    />
  )
}
