// From chosen files to uploads: too large ones are refused here, taken names are asked about, the rest goes its way.
import { useState } from 'react'
import { checkNames } from '../../../client/uploads.ts'
import { type ChosenFile } from '../../../place/chosen-files.ts'
import { sizeText } from '../../../words/size.ts'
import { MOST_BYTES } from '../../../words/upload.ts'
import { type Choice } from './conflicts-dialog.tsx'
import { type AddedFile, type UploadQueue } from './queue.ts'

export interface Refused {
  file: ChosenFile
  why: string
}

interface Asking {
  files: readonly ChosenFile[]
  names: readonly string[]
}

/** Chapter 2 before chapter 10. */
const ORDER = new Intl.Collator(undefined, { numeric: true })

/** Names that are the same to the shop. */
const same = (name: string): string => name.normalize('NFC').toLowerCase()

export function useAdmission(queue: UploadQueue) {
  const [asking, setAsking] = useState<Asking | null>(null)
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [busy, setBusy] = useState(false)

  const working = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    await work().catch((failure: unknown) => setError(failure as Error))
    setBusy(false)
  }
  const send = (files: readonly ChosenFile[], choices: ReadonlyMap<string, Choice>) =>
    queue.add(
      files.flatMap((file): AddedFile[] => {
        const choice = choices.get(file.data.name)
        if (choice === 'skip') return []
        return [{ ...file, on_conflict: choice ?? 'error' }]
      }),
    )
  return {
    asking,
    refused,
    error,
    busy,
    dismiss: () => setRefused([]),
    take: (chosen: readonly ChosenFile[]) =>
      working(async () => {
        const files = chosen.toSorted((a, b) => ORDER.compare(a.path, b.path))
        const known = files.filter(queue.knows)
        const { fitting, names, refused: unfit } = await judge(files.filter((file) => !queue.knows(file)))
        setRefused(unfit)
        const all = [...known, ...fitting]
        if (names.length > 0) setAsking({ files: all, names })
        else if (all.length > 0) await send(all, new Map())
      }),
    answer: (choices: ReadonlyMap<string, Choice>) => {
      const files = asking?.files ?? []
      setAsking(null)
      return working(() => send(files, choices))
    },
    giveUp: () => setAsking(null),
  }
}

/** What can't be taken and why, and the names that the shop or another of the chosen files has. */
async function judge(files: readonly ChosenFile[]) {
  if (files.length === 0) return { refused: [], fitting: [], names: [] }
  const checked = await checkNames([...new Set(files.map(({ data }) => data.name))])
  const refused: Refused[] = []
  const fitting: ChosenFile[] = []
  const seen = new Set<string>()
  const names = new Set<string>()
  for (const file of files) {
    const { name, size } = file.data
    const about = checked.get(name)
    const why = size > MOST_BYTES ? TOO_LARGE : size === 0 ? 'The file is empty' : about?.error?.message
    if (why !== undefined) {
      refused.push({ file, why })
      continue
    }
    if (about?.taken || seen.has(same(name))) names.add(name)
    seen.add(same(name))
    fitting.push(file)
  }
  return { refused, fitting, names: [...names] }
}

const TOO_LARGE = `Larger than ${sizeText(MOST_BYTES)}: compress it or split it, or ask support for assistance`
