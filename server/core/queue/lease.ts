// Leases of work: a worker holds one while its heartbeat is alive, and every write of its results
// checks it. A worker that was presumed dead but still runs can write nothing.

/** A worker without a heartbeat for this long, by the database's clock, is dead. */
export const SILENCE = '30 seconds'

/** Another worker has taken over, or the work was ended elsewhere: stop, and write nothing. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease was taken over')
    this.name = 'LeaseLost'
  }
}
