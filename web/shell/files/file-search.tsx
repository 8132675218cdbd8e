// Chooses several files of the shop, found by a search.
import { type ClipboardEventHandler, type ReactNode, useState } from 'react'
import { useFiles } from '../client/queries.ts'
import { type File } from '../client/types.ts'
import { LoadingRows } from '../components/lists.tsx'
import { LoadProblem } from '../components/load-problem.tsx'
import { t } from '../messages/t.ts'
import { BlockStack, Checkbox, Hint, TextField } from '../ui/index.ts'
import { useDebounced } from '../url-state/use-debounced.ts'

const SHOWN_FILES = 10

/** By id. */
export type ChosenFiles = ReadonlyMap<string, File>

interface RowProps {
  /** The text below the name of a file. */
  detailOf: (file: File) => string
  /** It cannot be chosen. */
  isThere: (file: File) => boolean
}

interface Props extends RowProps {
  chosen: ChosenFiles
  onChoose: (chosen: ChosenFiles) => void
  help?: string
  onPaste?: ClipboardEventHandler
  /** Below the field. */
  children?: ReactNode
}

export function FileSearch({ chosen, onChoose, help, onPaste, children, ...rows }: Props) {
  const [search, setSearch] = useState('')
  const found = useFiles({ search: useDebounced(search.trim()), limit: SHOWN_FILES }, false)
  const tick = (file: File, on: boolean) => {
    const next = new Map(chosen)
    if (on) next.set(file.id, file)
    else next.delete(file.id)
    onChoose(next)
  }
  const listed = (found.data?.data ?? []).filter(({ id }) => !chosen.has(id))
  return (
    <BlockStack gap="300">
      <div onPaste={onPaste}>
        <TextField
          label={t('Search files')}
          helpText={help}
          autoFocus
          clearButton
          onClearButtonClick={() => setSearch('')}
          value={search}
          onChange={setSearch}
        />
      </div>
      {children}
      <Choices
        {...rows}
        title={t('Chosen files')}
        files={[...chosen.values()]}
        ticked
        onTick={tick}
      />
      <LoadProblem query={found} what={t('The files could not be loaded')} />
      {found.isPending && <LoadingRows rows={3} what={t('the files')} />}
      {found.data?.data.length === 0 && <Hint>{t('No file matches.')}</Hint>}
      <Choices {...rows} title={t('Found files')} files={listed} onTick={tick} />
    </BlockStack>
  )
}

interface ChoicesProps extends RowProps {
  title: string
  files: readonly File[]
  ticked?: boolean
  onTick: (file: File, on: boolean) => void
}

const Choices = ({ title, files, ticked = false, detailOf, isThere, onTick }: ChoicesProps) =>
  files.length > 0 && (
    <div role="group" aria-label={title}>
      {files.map((file) => (
        <div key={file.id}>
          <Checkbox
            label={file.filename}
            helpText={detailOf(file)}
            checked={ticked}
            disabled={isThere(file)}
            onChange={(on) => onTick(file, on)}
          />
        </div>
      ))}
    </div>
  )
