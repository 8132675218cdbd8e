// One of the shop's own files, of the kinds that the plugin names.
import { useState } from 'react'
import { useFiles } from '../../../../shell/client/queries.ts'
import { sizeText } from '../../../../shell/labels/size.ts'
import { SmallPrint } from '../../../../shell/ui/index.ts'
import { useDebounced } from '../../../../shell/url-state/use-debounced.ts'
import { FileIcon } from '../../../../shell/files/icon.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { RadioChoice, SearchChoices } from '../../../../shell/components/search-choices.tsx'
import { type FieldProps } from '../field-props.ts'
import { titleOf } from '../../option-shape.ts'
import { t } from '../../../../shell/messages/t.ts'

const ANY = { extensions: [] as readonly string[], one: t('file'), many: t('files') }

export function FilePicker({ name, schema, value, onChange, path, problems }: FieldProps) {
  const { extensions, one, many } = schema.files ?? ANY
  const [search, setSearch] = useState('')
  const wanted = { type: [...extensions], search: useDebounced(search.trim()), limit: 5 }
  const files = useFiles(wanted, false)
  return (
    <SearchChoices
      query={files}
      search={search}
      id={fieldId(path)}
      error={problems.within(path)}
      label={t('Search your {many}', { many })}
      onSearch={setSearch}
      title={titleOf(schema, name)}
      what={many}
      failed={t('The {many} could not be loaded', { many })}
      none={
        extensions.length === 0
          ? t('No {one} matches. Upload one as a file first.', { one })
          : t('No {one} matches. Upload one as a file first: {extensions}.', {
              one,
              extensions: extensions.join(', ').toUpperCase(),
            })
      }
      choice={({ id, filename, content_type, size_bytes }) => (
        <RadioChoice
          key={id}
          name={path}
          checked={value === id}
          onChoose={() => onChange(id)}
          picture={<FileIcon filename={filename} contentType={content_type} />}
          title={filename}
          detail={<SmallPrint>{sizeText(size_bytes)}</SmallPrint>}
        />
      )}
    />
  )
}
