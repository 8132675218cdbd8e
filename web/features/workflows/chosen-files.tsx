// Up to ten files to try a workflow on; without a choice the newest ones are tried.
import { useState } from 'react'
import { useFiles } from '../../shell/client/queries.ts'
import { type File } from '../../shell/client/types.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Checkbox, Hint, Tag, TextField } from '../../shell/ui/index.ts'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { MOST_TRIED } from './trial-calls.ts'

interface Props {
  chosen: readonly File[]
  onChange: (chosen: readonly File[]) => void
}

export function ChosenFiles({ chosen, onChange }: Props) {
  const [open, setOpen] = useState(false)
  const without = (id: string) => chosen.filter((one) => one.id !== id)
  return (
    <BlockStack gap="300">
      {chosen.length > 0 && (
        <div className="tags">
          {chosen.map(({ id, filename }) => (
            <Tag key={id} onRemove={() => onChange(without(id))}>
              {filename}
            </Tag>
          ))}
        </div>
      )}
      <div>
        <Button
          variant="plain"
          disclosure={open ? 'up' : 'down'}
          ariaExpanded={open}
          ariaControls="trial-files"
          onClick={() => setOpen(!open)}
        >
          {t('Choose files')}
        </Button>
      </div>
      <div id="trial-files" hidden={!open}>
        {open && (
          <Choices
            chosen={chosen}
            onTick={(file, ticked) => onChange(ticked ? [...chosen, file] : without(file.id))}
          />
        )}
      </div>
    </BlockStack>
  )
}

interface ChoicesProps {
  chosen: readonly File[]
  onTick: (file: File, ticked: boolean) => void
}

function Choices({ chosen, onTick }: ChoicesProps) {
  const [search, setSearch] = useState('')
  const files = useFiles({ search: useDebounced(search.trim()), limit: 8 }, false)
  const ids = new Set(chosen.map(({ id }) => id))
  const list = files.data?.data
  return (
    <BlockStack gap="200">
      <TextField
        label={t('Search files by name')}
        clearButton
        onClearButtonClick={() => setSearch('')}
        value={search}
        onChange={setSearch}
      />
      <LoadProblem query={files} what={t('The files could not be loaded')} />
      {files.isPending && <LoadingRows rows={3} what={t('the files')} />}
      {list?.length === 0 && <Hint>{t('No file matches.')}</Hint>}
      {chosen.length >= MOST_TRIED && (
        <Hint>{t('No more files can be tried at a time. Remove one to choose another.')}</Hint>
      )}
      <BlockStack>
        {list?.map((file) => (
          <Checkbox
            key={file.id}
            label={t('{filename}, {size}', {
              filename: file.filename,
              size: sizeText(file.size_bytes),
            })}
            checked={ids.has(file.id)}
            disabled={!ids.has(file.id) && chosen.length >= MOST_TRIED}
            onChange={(ticked) => onTick(file, ticked)}
          />
        ))}
      </BlockStack>
    </BlockStack>
  )
}
