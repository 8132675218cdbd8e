// The port of cloud syncs, and what an entry says about its object.
import type { Item, PortError, StagedBlob, Warning } from '../contract/index.ts'

/** The task of a sync for one item. */
export type CloudTask =
  /** Fetch the object's bytes. `pack`: the subfolder that it is in. */
  | { does: 'fetch'; path: string; size_bytes: number; pack: string | null; warning?: Warning }
  /**
   * Apply the item's `wanted` to the file: the object was renamed, moved or deleted at the
   * provider.
   */
  | { does: 'change' }
  /** Carry a change of the file to the provider. `says`: the change as a sentence. */
  | { does: 'send'; says: string; warning?: Warning }

/** The decisions of a sync, by item id. Items that a newer sync has replaced are absent. */
export interface CloudReader {
  /** The tasks of a sync for these items. */
  tasksOf(
    sync: string,
    items: readonly Pick<Item, 'id' | 'position'>[],
  ): Promise<ReadonlyMap<string, CloudTask>>
}

/** Carrying out a sync's decisions at the provider. */
export interface Cloud extends CloudReader {
  /**
   * Carries out the tasks `fetch` and `send`; returns one result for each item when it ends: staged
   * bytes, nothing (it is done), or an error. Leaves no files on this machine.
   */
  carryOut(
    sync: string,
    items: readonly Pick<Item, 'id' | 'position'>[],
    signal: AbortSignal,
  ): AsyncIterable<{ item: string; bytes?: StagedBlob; error?: PortError }>
}

declare module '../contract/context.ts' {
  interface ReadPorts {
    cloud: CloudReader
  }
  interface WritePorts {
    cloud: Cloud
  }
}

declare module '../contract/item.ts' {
  interface EntrySources {
    /** An object of the connection that the sync works on, in the synced folder. */
    cloud: { path: string }
  }
}
