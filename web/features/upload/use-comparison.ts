// Compares chosen files with those of the shop while the page shows how far it is, and keeps those
// that were left out. A comparison that fails finds nothing: the files are sent.
import { useEffect, useRef, useState } from 'react'
import type { ChosenFile } from '../../shell/components/chosen-files.ts'
import { findSame, isCompared, type SameFile } from './same-bytes.ts'

export interface Comparing {
  done: number
  total: number
  /** The files are sent without it. */
  stop: () => void
}

/** Files that were left out of the last choice. */
export interface LeftOut {
  files: readonly SameFile[]
  /** The number of chosen files. */
  of: number
}

export function useComparison() {
  const [comparing, setComparing] = useState<Comparing | null>(null)
  const [left, setLeft] = useState<LeftOut | null>(null)
  const running = useRef<AbortController | null>(null)
  // Another page cannot show how far it is: the files are sent without it.
  useEffect(() => () => running.current?.abort(), [])
  const compare = async (files: readonly ChosenFile[]): Promise<SameFile[]> => {
    const compared = files.filter(isCompared)
    if (compared.length === 0) return []
    const control = new AbortController()
    running.current = control
    const show = (done: number) =>
      setComparing({ done, total: compared.length, stop: () => control.abort() })
    const found = await findSame(compared, { signal: control.signal, onDone: show }).catch(() => [])
    setComparing(null)
    return found
  }
  return {
    comparing,
    left,
    forgetLeft: () => setLeft(null),
    /** The files whose bytes are not in the shop. `of`: the number of chosen files. */
    withoutSame: async (files: readonly ChosenFile[], of: number): Promise<ChosenFile[]> => {
      const same = await compare(files)
      setLeft(same.length > 0 ? { files: same, of } : null)
      const here = new Set(same.map(({ file }) => file))
      return files.filter((file) => !here.has(file))
    },
  }
}
