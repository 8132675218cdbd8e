// Tags with templates to pick from, and one tag with the number of files that have it.
import { type KeyboardEvent, useState } from 'react'
import { useTags } from '../../../../shell/client/queries.ts'
import {
  BlockStack,
  TextField,
  Button,
  InlineStack,
  Select,
  Text,
} from '../../../../shell/ui/index.ts'
import { TagWords } from '../../../../shell/files/filter-fields.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { t } from '../../../../shell/messages/t.ts'
import { toast } from '../../../../shell/client/bridge.ts'
import { ApiError } from '../../../../shell/client/error.ts'
import {
  type TagTemplate,
  useDeleteTagTemplate,
  useSaveTagTemplate,
  useTagTemplates,
} from '../../../../shell/client/tags.ts'
import { DeleteDialog } from '../../../../shell/components/delete-dialog.tsx'
import { titleOf } from '../../option-shape.ts'
import type { FieldProps } from '../field-props.ts'

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

// Tags saved under a name: choosing a template replaces the tags in the field, and the tags in the
// field can be saved as a template.

interface Props {
  tags: readonly string[]
  onPick: (tags: readonly string[]) => void
}

const same = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((tag) => others.includes(tag))

function TagTemplates({ tags, onPick }: Props) {
  const templates = useTagTemplates()
  const [naming, setNaming] = useState(false)
  const [deleted, setDeleted] = useState<TagTemplate | null>(null)
  const list = templates.data?.data ?? []
  const picked = list.find((template) => same(template.tags, tags))
  return (
    <BlockStack gap="200">
      {list.length > 0 && (
        <Select
          label={t('Template')}
          options={[
            { label: picked ? t('None') : t('Pick saved tags'), value: '' },
            ...list.map(({ id, name }) => ({ label: name, value: id })),
          ]}
          value={picked?.id ?? ''}
          onChange={(id) => onPick(list.find((template) => template.id === id)?.tags ?? [])}
        />
      )}
      {naming && tags.length > 0 ? (
        <SaveAs tags={tags} templates={list} onDone={() => setNaming(false)} />
      ) : (
        <InlineStack gap="300">
          {tags.length > 0 && !picked && (
            <Button variant="plain" onClick={() => setNaming(true)}>
              {t('Save as a template')}
            </Button>
          )}
          {picked && (
            <Button variant="plain" tone="critical" onClick={() => setDeleted(picked)}>
              {t('Delete the template “{name}”', { name: picked.name })}
            </Button>
          )}
        </InlineStack>
      )}
      {templates.error && (
        <Text as="p" tone="critical">
          {templates.error.message}
        </Text>
      )}
      {deleted && <DeleteTemplate template={deleted} onClose={() => setDeleted(null)} />}
    </BlockStack>
  )
}

interface DeleteProps {
  template: TagTemplate
  onClose: () => void
}

function DeleteTemplate({ template: { id, name, tags }, onClose }: DeleteProps) {
  const remove = useDeleteTagTemplate()
  return (
    <DeleteDialog
      open
      title={t('Delete the template “{name}”?', { name })}
      deleting={remove.isPending}
      error={remove.error}
      onDelete={() =>
        remove.mutate(id, {
          onSuccess: () => {
            toast(t('Template deleted'))
            onClose()
          },
        })
      }
      onClose={onClose}
    >
      <Text as="p">
        {t('The tags {tags} stay in this field and on all files.', { tags: tags.join(', ') })}
      </Text>
    </DeleteDialog>
  )
}

interface SaveProps {
  tags: readonly string[]
  templates: readonly TagTemplate[]
  onDone: () => void
}

function SaveAs({ tags, templates, onDone }: SaveProps) {
  const save = useSaveTagTemplate()
  const [name, setName] = useState('')
  const [unnamed, setUnnamed] = useState(false)
  // Saving under an existing name replaces that template.
  const same = templates.find(
    (template) => template.name.toLowerCase() === name.trim().toLowerCase(),
  )
  const submit = () => {
    setUnnamed(name.trim() === '')
    if (name.trim() === '') return
    save.mutate({ id: same?.id ?? null, name: name.trim(), tags }, { onSuccess: onDone })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    submit()
  }
  return (
    <div onKeyDown={press}>
      <TextField
        label={t('Name of the template')}
        autoFocus
        maxLength={100}
        value={name}
        error={unnamed ? t('Enter a name') : save.error ? messageOf(save.error) : undefined}
        helpText={same ? t('This replaces the tags of the template with this name.') : undefined}
        onChange={(text) => {
          setName(text)
          setUnnamed(false)
          if (save.error) save.reset()
        }}
        connectedRight={
          <InlineStack gap="200" wrap={false}>
            <Button loading={save.isPending} onClick={submit}>
              {same ? t('Replace') : t('Save')}
            </Button>
            <Button onClick={onDone}>{t('Not now')}</Button>
          </InlineStack>
        }
      />
    </div>
  )
}

const messageOf = (error: Error): string =>
  error instanceof ApiError ? (error.details[0]?.message ?? error.message) : error.message
