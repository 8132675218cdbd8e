// A function that stops or closes something: called when the start fails, and when the server
// stops.
export type Closing = () => Promise<unknown>
