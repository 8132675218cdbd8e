// One of the shop's own files, of the kinds that the plugin names.
import { useState } from 'react'
import { useFiles } from '../../../../shell/client/queries.ts'
import { sizeText } from '../../../../shell/labels/size.ts'
import { BlockStack, InlineError, Text, TextField } from '../../../../shell/ui/index.ts'
import { useDebounced } from '../../../../shell/url-state/use-debounced.ts'
import { FileIcon } from '../../../../shell/files/icon.tsx'
import { LoadingRows } from '../../../../shell/components/lists.tsx'
import { Problem } from '../../../../shell/components/problem.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'
import '../../../mapping/product-picker.css'
import { t } from '../../../../shell/messages/t.ts'

const ANY = { extensions: [] as readonly string[], one: t('file'), many: t('files') }

export function FilePicker({ name, schema, value, onChange, path, problems }: FieldProps) {
  const { extensions, one, many } = schema.files ?? ANY
  const [search, setSearch] = useState('')
  const wanted = { type: [...extensions], search: useDebounced(search.trim()), limit: 5 }
  const files = useFiles(wanted, false)
  const list = files.data?.data
  const error = problems.within(path)
  return (
    <BlockStack gap="200">
      <TextField
        id={fieldId(path)}
        label={t('Search {many} among the files', { many })}
        autoComplete="off"
        clearButton
        onClearButtonClick={() => setSearch('')}
        value={search}
        onChange={setSearch}
      />
      {error && <InlineError message={error} fieldID={fieldId(path)} />}
      {files.error && (
        <Problem
          error={files.error}
          what={t('The {many} could not be loaded', { many })}
          onRetry={() => void files.refetch()}
        />
      )}
      {files.isPending && <LoadingRows rows={3} what={many} />}
      {list?.length === 0 && (
        <Text as="p" tone="subdued">
          {extensions.length === 0
            ? t('No {one} matches. Upload one as a file first.', { one })
            : t('No {one} matches. Upload one as a file first: {extensions}.', {
                one,
                extensions: extensions.join(', ').toUpperCase(),
              })}
        </Text>
      )}
      <div role="radiogroup" aria-label={titleOf(schema, name)} className="product-choices">
        {list?.map(({ id, filename, content_type, size_bytes }) => (
          <label key={id} className={`candidate ${value === id ? 'chosen' : ''}`}>
            <input type="radio" name={path} checked={value === id} onChange={() => onChange(id)} />
            <FileIcon filename={filename} contentType={content_type} />
            <span className="candidate-text">
              <Text as="span" breakWord>
                {filename}
              </Text>
              <Text as="span" variant="bodySm" tone="subdued">
                {sizeText(size_bytes)}
              </Text>
            </span>
          </label>
        ))}
      </div>
    </BlockStack>
  )
}
