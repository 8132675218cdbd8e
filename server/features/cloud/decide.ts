// What a sync does with one object: a three-way comparison of what was applied last (base), what
// the provider has (theirs) and what is here (ours). Pure functions: other modules apply the
// decisions.
import { mustConfirmDeletions } from '../../files/trash.ts'

/** How a side compares with the base. Without a base a side is `absent` or `new`. */
export type SideState = 'absent' | 'same' | 'changed' | 'new'

export interface Triple {
  theirs: SideState
  ours: SideState
  /** Whether the object is in the base. */
  base: boolean
}

export type Decision =
  /** Fetch their object: as a new file, or as the next version of ours. */
  | 'add'
  | 'change'
  /** Treat our file as the setting for deletions says. */
  | 'remove'
  /** Send our file to the provider, or delete their object. */
  | 'send'
  | 'remove_there'
  /** Keep both, as two objects and two files. */
  | 'conflict'
  /** Neither side has it: remove it from the base. */
  | 'forget'
  | null

/**
 * One-way: the provider is the source of truth, and changes here are never sent to it. A file that
 * was deleted here is created again when its object changes.
 */
export function decideOneWay({ base, theirs, ours }: Triple): Decision {
  if (theirs === 'absent') {
    if (!base) return null
    return ours === 'absent' ? 'forget' : 'remove'
  }
  if (!base) return 'add'
  if (theirs === 'same') return null
  return ours === 'absent' ? 'add' : 'change'
}

/** Two-way: a change wins over a deletion, and two changes are a conflict. */
export function decideTwoWay({ base, theirs, ours }: Triple): Decision {
  if (!base) {
    if (theirs !== 'absent' && ours !== 'absent') return 'conflict'
    if (theirs !== 'absent') return 'add'
    return ours === 'absent' ? null : 'send'
  }
  if (theirs === 'absent') {
    if (ours === 'absent') return 'forget'
    return ours === 'same' ? 'remove' : 'send'
  }
  if (ours === 'absent') return theirs === 'same' ? 'remove_there' : 'add'
  if (theirs === 'same') return ours === 'same' ? null : 'send'
  return ours === 'same' ? 'change' : 'conflict'
}

export interface DeletionCounts {
  /** The number of files of the connection. */
  known: number
  /** How many files, or objects at the provider, would be deleted. */
  deleted: number
  /** How many files from elsewhere would get new bytes. */
  replaced: number
  /** How many objects would be created or replaced at the provider. */
  sent: number
  /** Whether this is the first sync that is applied. */
  first: boolean
}

export type GuardReason = 'first_sync' | 'deletions' | 'uploads'

/** `changed`: the preview that a person confirmed is not what the sync would do now. */
export type PreviewReason = GuardReason | 'requested' | 'changed'

/** Why a person must confirm the sync, or null. */
export function needsConfirmation(counts: DeletionCounts): GuardReason | null {
  const { known, deleted, replaced, sent, first } = counts
  if (first && deleted + replaced > 0) return 'first_sync'
  if (first && sent > 0) return 'uploads'
  return mustConfirmDeletions(deleted, known) ? 'deletions' : null
}
