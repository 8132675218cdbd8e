// What was on its way up when the page was left: a browser cannot keep the files themselves, so their names are, to be chosen
// again. What had arrived of each is then not sent again.
import { type Conflict } from '../../../words/upload.ts'

export interface KeptFile {
  /** Uppy's id: the same file has it again. */
  id: string
  filename: string
  folder: string
  size: number
  on_conflict: Conflict
  batch: string
}

/** Longer ago, the server has none of it any more. */
const KEPT_MS = 24 * 60 * 60 * 1000

const keyOf = (shop: string) => `stevedore-uploads-${shop}`

export function readKept(shop: string, now = Date.now()): KeptFile[] {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(shop)) ?? 'null') as { at: number; files: KeptFile[] } | null
    return kept && now - kept.at < KEPT_MS && Array.isArray(kept.files) ? kept.files : []
  } catch {
    return []
  }
}

export function keep(shop: string, files: readonly KeptFile[], now = Date.now()): void {
  try {
    if (files.length === 0) localStorage.removeItem(keyOf(shop))
    else localStorage.setItem(keyOf(shop), JSON.stringify({ at: now, files }))
  } catch {
    // A browser that keeps nothing uploads all the same; only a reload begins anew.
  }
}
