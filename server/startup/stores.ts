// Opens the storage locations that the configuration names.
import type { Config, LocationConfig } from '../config.ts'
import { createDiskStore } from '../store/disk.ts'
import type { BlobStore } from '../store/store.ts'

/** By location name. */
export function openStores(storage: Config['storage']): ReadonlyMap<string, BlobStore> {
  return new Map(Object.entries(storage).map(([name, location]) => [name, openStore(location)]))
}

const openStore = ({ folder }: LocationConfig): BlobStore => createDiskStore({ folder })
