// A transfer is one response with bytes of a file, as its counter sees it: how many bytes it may send, and how it
// ended. A transfer calls `undo` or `end`, once.
import type { ServerResponse } from 'node:http'
import type { SendAllowance } from '../bytes.ts'

export interface FileTransfer {
  /**
   * Limits the bytes as they are sent; neither nginx nor a bucket could apply it. Null: no limit.
   */
  readonly allowance: SendAllowance | null
  /** The bytes were opened, and the response begins. */
  opened(response: ServerResponse): void
  /** Nothing speaks against the bytes: records the download. */
  confirmed(): void
  /** The bytes could not be sent: takes the count back, before the error is sent. */
  undo(): Promise<void>
  /**
   * The transfer has ended. Never rejects.
   * @param sent the bytes that the socket took; those that nginx or a bucket sends count as taken.
   */
  end(sent: number): Promise<void>
}

const nothing = () => Promise.resolve()

/** A transfer that no download and no session is charged for. */
export const UNCOUNTED: FileTransfer = {
  allowance: null,
  opened() {},
  confirmed() {},
  undo: nothing,
  end: nothing,
}
