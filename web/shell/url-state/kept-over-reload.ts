// What a page keeps when it reloads itself, because a new version of the app was deployed while it
// was open: drafts of forms and ticked rows. A reload by the merchant keeps nothing.
import { useEffect, useState } from 'react'

const STORED = 'stevedore-kept-over-reload'

const RELOADED = 'stevedore-reloaded-at'
/** A script that is missing this soon after a reload has another cause than an upgrade. */
const ONCE_MS = 60_000

/**
 * May the page reload itself at `now`? Stored in the browser's session, because the reload clears
 * the page's memory. `storage` throws where the browser forbids it, as in the admin's frame without
 * cookies of other sites; so do those below.
 */
export function mayReload(
  storage: () => Pick<Storage, 'getItem' | 'setItem'>,
  now: number,
): boolean {
  try {
    const before = Number(storage().getItem(RELOADED) ?? Number.NaN)
    if (now - before < ONCE_MS) return false
    storage().setItem(RELOADED, String(now))
    return true
  } catch {
    // The page would reload for ever if the attempt were not stored.
    return false
  }
}

interface KeptValues {
  /** The address of the page that kept them. */
  url: string
  values: Record<string, unknown>
}

/** By name; undefined: there is nothing to keep. */
type Keeper = () => unknown

const keepers = new Map<string, Keeper>()
/** By name: what the page had before it reloaded itself. */
let restored = new Map<string, unknown>()

/** Stores what the open page has. False: it cannot be stored, so that a reload would lose it. */
export function storeKept(storage: () => Pick<Storage, 'setItem'>, url: string): boolean {
  const values = [...keepers].flatMap(([name, read]) => {
    const value = read()
    return value === undefined ? [] : [[name, value] as const]
  })
  const kept: KeptValues = { url, values: Object.fromEntries(values) }
  try {
    storage().setItem(STORED, JSON.stringify(kept))
    return true
  } catch {
    return false
  }
}

/** Reads what the page stored before it was reloaded; called once, when the page starts. */
export function restoreKept(
  storage: () => Pick<Storage, 'getItem' | 'removeItem'>,
  url: string,
): void {
  try {
    const text = storage().getItem(STORED)
    storage().removeItem(STORED)
    const kept = text === null ? null : (JSON.parse(text) as KeptValues)
    restored = new Map(kept?.url === url ? Object.entries(kept.values) : [])
  } catch {
    restored = new Map()
  }
}

/** The value that the page had before it was reloaded, once; undefined: none. */
export function takeKept(name: string): unknown {
  const value = restored.get(name)
  restored.delete(name)
  return value
}

/** Keeps what `read` returns when the page reloads itself, until the returned function is called. */
export function keepOverReload(name: string, read: Keeper): () => void {
  keepers.set(name, read)
  return () => {
    if (keepers.get(name) === read) keepers.delete(name)
  }
}

/** The kept value under a name that stays the same while the component is mounted. */
export function useKept(name: string, value: unknown): void {
  useEffect(() => keepOverReload(name, () => value), [name, value])
}

/** The value before the reload, read when the component is mounted. */
export function useRestored(name: string): unknown {
  const [value] = useState(() => takeKept(name))
  return value
}
