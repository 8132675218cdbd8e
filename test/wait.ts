/**
 * How long a test waits for a state before it fails: far above what a busy machine needs, and below
 * the timeout of a test, so that the message says which state did not come. No bound on speed: a
 * promise with a time in it is tested by that time (`promisedMs` of scale.ts).
 */
export const WAIT_MS = 120_000
