// The port of uploads, and what an entry says about its upload.
import type { StagedBlob } from '../contract/index.ts'

/**
 * Complete uploads that belong to no file yet, by their bare UUIDs. All functions throw `PortError`
 * `upload_lost` if an upload is gone.
 */
export interface UploadReader {
  /** The number of its bytes. */
  sizeOf(id: string): Promise<number>
}

/** Taking uploads over. */
export interface Uploads extends UploadReader {
  /**
   * Moves the upload's bytes into the shop's storage location, without a copy if possible.
   * Idempotent.
   */
  take(id: string, signal: AbortSignal): Promise<StagedBlob>
}

declare module '../contract/context.ts' {
  interface ReadPorts {
    uploads: UploadReader
  }
  interface WritePorts {
    uploads: Uploads
  }
}

declare module '../contract/item.ts' {
  interface EntrySources {
    /** An upload that a browser sent, by its bare UUID. */
    upload: { id: string }
  }
}
