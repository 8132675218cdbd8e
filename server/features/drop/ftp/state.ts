// The state of one control connection.
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Session } from '../sessions.ts'
import type { FtpOptions } from './options.ts'
import type { PassiveListener } from './passive.ts'
import { present } from '../../../core/present.ts'

/**
 * A file whose data connection has ended. A client that disconnects ends it in the same way, so the
 * file is known to be complete only when the client shows that it is still connected.
 */
export interface UnconfirmedFile {
  /** Records that the file is complete. `soon`: a moment later, together with others. */
  confirm(soon: boolean): Promise<void>
  markInterrupted(): Promise<void>
}

/** The state that verbs read and change. */
export interface State {
  options: FtpOptions
  socket: Socket
  /** The client's address. */
  client: string
  /** Frees the place of the connection among those that have not signed in. */
  signedIn: () => void
  secure: SecureContext
  isEncrypted: boolean
  /** Whether data connections are encrypted (PROT P). */
  dataEncrypted: boolean
  /**
   * The client has sent OPTS UTF8 ON or a name in UTF-8: the account's encoding of names is not
   * used.
   */
  sendsUtf8: boolean
  username: string | null
  triesLeft: number
  session: Session | null
  folder: string
  /** The offset at which the next transfer begins (REST). */
  offset: number
  renameFrom: string | null
  passive: PassiveListener
  /** The running transfer's data connection. */
  data: Socket | null
  /** The last file that ended, until the client shows that it is still connected. */
  unconfirmed: UnconfirmedFile | null
  /** Whether the control connection is gone; a file may end after it. */
  isClosed: boolean
  reply(code: number, text: string | readonly string[]): void
  /** Ends the connection after the last reply. */
  end(): void
}

/** The session, for verbs that only a signed-in client can use. */
export const sessionOf = ({ session }: State): Session => present(session, 'The session')

export type Verb = (state: State, argument: string) => void | Promise<void>
