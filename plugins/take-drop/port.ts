// The port of drop folders, and what an entry says about its file there.
import type { StagedBlob } from '../contract/index.ts'

/**
 * Files in drop folders, by their bare UUIDs. All functions throw `PortError` `drop_file_gone` if a
 * file was moved, deleted or replaced since the import got it.
 */
export interface DropReader {
  /** The number of its bytes. `claim`: the import's, from its entry. */
  sizeOf(id: string, claim: string): Promise<number>
}

/** Taking files of drop folders over. */
export interface DropFolders extends DropReader {
  /**
   * Takes the file for this import: no client changes it from now on. Its bytes are in the store
   * already.
   */
  take(id: string, claim: string): Promise<StagedBlob>
}

declare module '../contract/context.ts' {
  interface ReadPorts {
    drop: DropReader
  }
  interface WritePorts {
    drop: DropFolders
  }
}

declare module '../contract/item.ts' {
  interface EntrySources {
    /**
     * A file of a drop folder, by its bare UUID. Its bytes are given only while `claim` is the
     * newest import's.
     */
    drop: { id: string; claim: string }
  }
}
