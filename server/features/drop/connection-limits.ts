// Limits of the connections of a process of the drop server.

export interface ConnectionLimits {
  /** A connection that has not signed in after this many milliseconds is closed. */
  loginGraceMs: number
  /** Signed-in connections of one protocol in one process; further ones are closed immediately. */
  perProtocol: number
  /**
   * Connections of both protocols that have not signed in, in one process. A further one replaces
   * the oldest of the network that has most.
   */
  unsigned: number
  /**
   * Connections from one network (IPv4: /24, IPv6: /64) that have not signed in, in one process.
   */
  unsignedPerNetwork: number
  /** Connections of one account in one process, of both protocols together. */
  perAccount: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  loginGraceMs: 30_000,
  perProtocol: 1000,
  unsigned: 300,
  unsignedPerNetwork: 60,
  perAccount: 50,
}
