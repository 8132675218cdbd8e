// How many connections a process of the drop server accepts, and for how long without a sign-in.

export interface ConnectionLimits {
  /** A connection that has not signed in by then is closed, in milliseconds. */
  loginGraceMs: number
  /** Of one protocol in one process; further ones are closed immediately. */
  perProtocol: number
  /** Of one account in one process, both protocols. */
  perAccount: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  loginGraceMs: 30_000,
  perProtocol: 1000,
  perAccount: 50,
}
