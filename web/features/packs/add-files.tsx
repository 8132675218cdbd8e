// The dialog that adds files to a pack: found by a search, or by a pasted list of their names.
import { type ClipboardEvent, useState } from 'react'
import { type File } from '../../shell/client/types.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { type ChosenFiles, FileSearch } from '../../shell/files/file-search.tsx'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { Hint } from '../../shell/ui/index.ts'
import { type Pack, useFilesNamed, useAddToPack } from './calls.ts'

/** Names of one pasted list: ten are read with one request. */
const MAX_NAMES = 200

interface Props {
  pack: Pack
  onClose: () => void
  /** Gets the id of the operation that moves the files. */
  onStarted: (operation: string) => void
}

export function AddFiles({ pack, onClose, onStarted }: Props) {
  const [chosen, setChosen] = useState<ChosenFiles>(new Map())
  const add = useAddToPack(pack.id)
  const files = chosen.size
  const submit = () =>
    files > 0 &&
    add.mutate([...chosen.keys()], {
      onSuccess: ({ id }) => {
        onStarted(id)
        onClose()
      },
    })
  return (
    <Dialog
      title={t('Add files to {name}', { name: pack.name })}
      onClose={onClose}
      primaryAction={{
        content: t('{files, plural, =0 {Add files} one {Add # file} other {Add # files}}', {
          files,
        }),
        onAction: submit,
        loading: add.isPending,
        disabled: files === 0,
      }}
    >
      {add.error && <Problem error={add.error} what={t('The files could not be added')} />}
      <Search pack={pack} chosen={chosen} onChoose={setChosen} />
    </Dialog>
  )
}

interface SearchProps {
  pack: Pack
  chosen: ChosenFiles
  onChoose: (chosen: ChosenFiles) => void
}

function Search({ pack, chosen, onChoose }: SearchProps) {
  const pasted = usePastedNames(pack, (files) =>
    onChoose(new Map([...chosen, ...files.map((file) => [file.id, file] as const)])),
  )
  return (
    <FileSearch
      chosen={chosen}
      onChoose={onChoose}
      help={t('Or paste a list of names, one on each line.')}
      detailOf={(file) => detailOf(file, pack)}
      isThere={(file) => isIn(file, pack)}
      onPaste={pasted.take}
    >
      {pasted.isPending && <LoadingRows rows={1} what={t('the files')} />}
      {pasted.error && (
        <Problem error={pasted.error} what={t('The names could not be looked up')} />
      )}
      {pasted.text !== null && <Hint>{pasted.text}</Hint>}
    </FileSearch>
  )
}

const isIn = ({ packs }: File, { id }: Pack): boolean => packs.some((one) => one.id === id)

function detailOf(file: File, pack: Pack): string {
  const size = sizeText(file.size_bytes)
  if (isIn(file, pack)) return t('{size}, in this pack already', { size })
  const [first, ...others] = file.packs
  if (!first) return size
  return others.length === 0
    ? t('{size}, stays in the pack {name}', { size, name: first.name })
    : t('{size}, stays in {count, plural, one {# pack} other {# packs}}', {
        size,
        count: others.length + 1,
      })
}

/** Chooses the files of a pasted list, and says which names no file has. */
function usePastedNames(pack: Pack, onFound: (files: readonly File[]) => void) {
  const { mutate, data, isPending, error } = useFilesNamed()
  const take = (event: ClipboardEvent) => {
    const names = linesOf(event.clipboardData.getData('text'))
    // One name is a search.
    if (names.length < 2) return
    event.preventDefault()
    mutate(names.slice(0, MAX_NAMES), {
      onSuccess: ({ files }) => onFound(files.filter((file) => !isIn(file, pack))),
    })
  }
  return { take, isPending, error, text: data ? resultText(data) : null }
}

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\r\n\t]+/)
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

function resultText({ files, missing }: { files: readonly File[]; missing: readonly string[] }) {
  const found = t('{files, plural, one {# file} other {# files}} found.', { files: files.length })
  if (missing.length === 0) return found
  const names = missing.join(', ')
  return `${found} ${t('No file has {count, plural, one {this name} other {these # names}}: {names}', { count: missing.length, names })}`
}
