// The options of an FTP server, and the encryption of its connections.
import type { Socket } from 'node:net'
import { TLSSocket, type SecureContext } from 'node:tls'
import type { Certificate } from '../../../core/configuration/drop-settings.ts'
import type { Logger } from '../../../core/log.ts'
import type { Refusals } from '../refusals.ts'
import type { UnsignedPlaces } from '../unsigned-places.ts'
import type { ConnectionLimits } from '../connection-limits.ts'
import type { Sessions } from '../sessions.ts'
import type { SignIn } from '../sign-in.ts'

export interface FtpOptions {
  signIn: SignIn
  sessions: Sessions
  certificate: Certificate
  /**
   * The ports of data connections, both included (null: any), and the address told to clients
   * (null: the one they connected to).
   */
  passive: { ports: { first: number; last: number } | null; address: string | null }
  log: Logger
  limits: ConnectionLimits
  places: UnsignedPlaces
  refusals: Refusals
}

/** Upgrades the connection to TLS. */
export const encrypted = (socket: Socket, secureContext: SecureContext): TLSSocket =>
  new TLSSocket(socket, { isServer: true, secureContext })
