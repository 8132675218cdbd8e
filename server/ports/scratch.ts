// A store for bytes that are thrown away, in a private folder on this machine: what a trial makes.
import { createDiskStore } from '../core/store/disk.ts'
import type { BlobStore } from '../core/store/store.ts'
import { withWorkFolder } from './children/work-folder.ts'

/** The name of its location. */
export const SCRATCH = 'scratch'

/** Calls `work` with an empty store. Its folder is removed in any case, after a crash by a sweep. */
export const withScratch = <T>(work: (scratch: BlobStore) => Promise<T>): Promise<T> =>
  withWorkFolder((folder) => work(createDiskStore({ folder })))
