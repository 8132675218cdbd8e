// What a start has to undo when it fails, and a stop in any case.
export type Closing = () => Promise<unknown>
