// Uploads that were unfinished when the page was left. A browser cannot store the files, so their
// names are stored. Once the files are chosen again, their uploads resume.
import { type CommonValues, NOTHING_FOR_ALL } from './for-all.ts'
import { type Conflict } from './labels.ts'

export interface KeptFile {
  /** Uppy's id: the same file gets the same id. */
  id: string
  filename: string
  folder: string
  size: number
  on_conflict: Conflict
  batch: string
}

/** The server deletes unfinished uploads after a day. */
const KEPT_MS = 24 * 60 * 60 * 1000

const keyOf = (shop: string) => `stevedore-uploads-${shop}`

export function readKept(shop: string, now = Date.now()): KeptFile[] {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(shop)) ?? 'null') as {
      at: number
      files: KeptFile[]
    } | null
    return kept && now - kept.at < KEPT_MS && Array.isArray(kept.files) ? kept.files : []
  } catch {
    return []
  }
}

const HOUR_MS = 60 * 60 * 1000

/**
 * Returns the function that stores the list of running uploads. It writes when the list has other
 * files than before, and once an hour, because an entry is valid for one day. It returns whether
 * the browser had room. Without room the uploads still work, but a reload starts them again.
 */
export function createMemory(shop: string, clock = Date.now) {
  let stored = ''
  let room = true
  return (files: readonly KeptFile[]): boolean => {
    const now = clock()
    const which = [Math.floor(now / HOUR_MS), ...files.map(({ id }) => id)].join(' ')
    if (which !== stored) room = keep(shop, files, now)
    stored = which
    return room
  }
}

function keep(shop: string, files: readonly KeptFile[], now: number): boolean {
  try {
    // The old list is outdated even if the new one does not fit.
    localStorage.removeItem(keyOf(shop))
    if (files.length > 0) localStorage.setItem(keyOf(shop), JSON.stringify({ at: now, files }))
    return true
  } catch {
    return files.length === 0
  }
}

const batchesKey = (shop: string) => `stevedore-upload-batches-${shop}`

/** Batches whose imports had not ended when the page was left. */
export function readBatches(shop: string, now = Date.now()): string[] {
  try {
    const kept = JSON.parse(localStorage.getItem(batchesKey(shop)) ?? 'null') as {
      at: number
      batches: string[]
    } | null
    return kept && now - kept.at < KEPT_MS && Array.isArray(kept.batches) ? kept.batches : []
  } catch {
    return []
  }
}

/** Stores them for the next visit. Without room the imports are still in the history. */
export function keepBatches(shop: string, batches: readonly string[], now = Date.now()): void {
  try {
    if (batches.length > 0)
      localStorage.setItem(batchesKey(shop), JSON.stringify({ at: now, batches }))
    else localStorage.removeItem(batchesKey(shop))
  } catch {
    return
  }
}

const forAllKey = (shop: string) => `stevedore-upload-choices-${shop}`

/** What was chosen for all files when the page was left. */
export function readForAll(shop: string, now = Date.now()): CommonValues {
  try {
    const kept = JSON.parse(localStorage.getItem(forAllKey(shop)) ?? 'null') as {
      at: number
      choices: CommonValues
    } | null
    const isValid = kept && now - kept.at < KEPT_MS && Array.isArray(kept.choices.tags)
    return isValid ? { ...NOTHING_FOR_ALL, ...kept.choices } : NOTHING_FOR_ALL
  } catch {
    return NOTHING_FOR_ALL
  }
}

/** Stores it for the next visit. Without room the uploads under way keep it: the server has it. */
export function keepForAll(shop: string, choices: CommonValues, now = Date.now()): void {
  try {
    localStorage.setItem(forAllKey(shop), JSON.stringify({ at: now, choices }))
  } catch {
    return
  }
}
