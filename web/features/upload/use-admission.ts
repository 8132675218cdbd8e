// From chosen files to uploads: files whose bytes are in the shop are left out, files that are too
// large are refused, the merchant is asked about taken names, and the others are sent.
import { useState } from 'react'
import { nameKey } from '../../../plugins/_page/name-key.ts'
import type { ChosenFile } from '../../shell/components/chosen-files.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { checkNames } from './calls.ts'
import { MAX_BYTES } from './labels.ts'
import type { Choice } from './conflicts-dialog.tsx'
import type { UploadQueue } from './queue.ts'
import type { UploadRow } from './rows.ts'
import { useComparison } from './use-comparison.ts'
import type { AddedFile } from './queue-files.ts'

export interface RefusedFile {
  file: ChosenFile
  why: string
}

interface ConflictQuestion {
  files: readonly ChosenFile[]
  /** The files whose names are taken. */
  taken: readonly ChosenFile[]
  /** The files are in the queue and were refused. */
  again: boolean
}

/** Natural order: chapter 2 before chapter 10. */
const ORDER = new Intl.Collator(undefined, { numeric: true })
const byPath = (a: ChosenFile, b: ChosenFile) => ORDER.compare(a.path, b.path)

export function useAdmission(queue: UploadQueue) {
  const [asking, setAsking] = useState<ConflictQuestion | null>(null)
  const [refused, setRefused] = useState<readonly RefusedFile[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [busy, setBusy] = useState(false)
  const { comparing, left, forgetLeft, withoutSame } = useComparison()

  const working = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    await work().catch((failure: unknown) => setError(failure as Error))
    setBusy(false)
  }
  const send = (files: readonly ChosenFile[], choices: ReadonlyMap<ChosenFile, Choice>) =>
    queue.add(conflictsOf(files, choices))
  const admit = async (files: readonly ChosenFile[], isCompared: boolean) => {
    const { fresh, known, underWay } = queue.sortChosen(files)
    const rest = isCompared ? await withoutSame(fresh, files.length) : fresh
    const { fitting, taken, refused: unfit } = await sortByName(rest, queue.namesExcept(rest))
    setRefused([...unfit, ...underWay.map((file) => ({ file, why: t('Already in the queue') }))])
    const all = [...known, ...fitting]
    if (taken.length > 0) setAsking({ files: all, taken, again: false })
    else if (all.length > 0) await send(all, new Map())
  }
  return {
    asking,
    refused,
    error,
    busy,
    comparing,
    left,
    dismiss: () => setRefused([]),
    leaveOut: forgetLeft,
    sendLeft: () => {
      forgetLeft()
      return working(() => admit(left?.files.map(({ file }) => file) ?? [], false))
    },
    take: (chosen: readonly ChosenFile[]) => working(() => admit(chosen.toSorted(byPath), true)),
    /**
     * Files that were sent and whose names were taken: asks the merchant, then sends them again or
     * removes them.
     */
    askAgain: (rows: readonly UploadRow[]) => {
      const files = queue.filesOf(rows)
      setAsking({ files, taken: files, again: true })
    },
    answer: (choices: ReadonlyMap<ChosenFile, Choice>) => {
      const files = asking?.files ?? []
      setAsking(null)
      if (asking?.again) queue.removeEnded(files.filter((file) => choices.get(file) === 'skip'))
      return working(() => send(files, choices))
    },
    giveUp: () => setAsking(null),
  }
}

/**
 * Refused files with their reasons, and files whose names are taken in the shop, in the queue or by
 * an earlier file.
 */
async function sortByName(files: readonly ChosenFile[], queued: readonly string[]) {
  if (files.length === 0) return { refused: [], fitting: [], taken: [] }
  const checked = await checkNames([...new Set(files.map(({ data }) => data.name))])
  const refused: RefusedFile[] = []
  const fitting: ChosenFile[] = []
  const taken: ChosenFile[] = []
  const seen = new Set(queued.map(nameKey))
  for (const file of files) {
    const { name, size } = file.data
    const about = checked.get(name)
    const why =
      size > MAX_BYTES ? TOO_LARGE : size === 0 ? t('The file is empty') : about?.error?.message
    if (why !== undefined) {
      refused.push({ file, why })
      continue
    }
    if (about?.taken || seen.has(nameKey(name))) taken.push(file)
    seen.add(nameKey(name))
    fitting.push(file)
  }
  return { refused, fitting, taken }
}

const TOO_LARGE = t('Larger than {size}: compress it or split it, or ask support for assistance', {
  size: sizeText(MAX_BYTES),
})

// How each selected file whose name is taken is handled, from the answers for some of them.

/**
 * A file without a question shares its name only with later files of the same selection. It gets
 * their answer: uploads arrive in any order, and the name may be taken when it arrives.
 */
export function conflictsOf(
  files: readonly ChosenFile[],
  choices: ReadonlyMap<ChosenFile, Choice>,
): AddedFile[] {
  const answers = new Map<string, Exclude<Choice, 'skip'>>()
  for (const [{ data }, choice] of choices) {
    const name = nameKey(data.name)
    if (choice !== 'skip' && !answers.has(name)) answers.set(name, choice)
  }
  return files.flatMap((file): AddedFile[] => {
    const choice = choices.get(file) ?? answers.get(nameKey(file.data.name)) ?? 'error'
    return choice === 'skip' ? [] : [{ ...file, on_conflict: choice }]
  })
}
