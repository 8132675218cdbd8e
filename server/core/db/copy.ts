// COPY of a table to and from a stream. pg passes its messages to an object with these handlers
// (a "submittable", as pg-copy-streams uses it).
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type pg from 'pg'

interface CopyConnection {
  stream: Socket
  query(sql: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

const rowsOf = (text: string): number => Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0)

/** What pg calls, in this order. */
interface Submittable {
  submit(connection: CopyConnection): void
  handleCopyData?(message: { chunk: Buffer }): void
  handleCopyInResponse?(connection: CopyConnection): void
  handleCommandComplete(message: { text: string }): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

/** pg's type of it does not have the handlers. */
const submit = (client: pg.ClientBase, copy: Submittable): unknown => client.query(copy as never)

export interface RowsOut {
  /** The rows in PostgreSQL's text format. It must be read to its end. */
  stream: Readable
  /** The number of rows, once the stream has ended. */
  rows(): number
}

/** @param source a table with its columns, or a query in parentheses. */
export function copyRowsOut(client: pg.ClientBase, source: string): RowsOut {
  let rows = 0
  let socket: Socket | undefined
  const stream = new Readable({
    read: () => void socket?.resume(),
    // The connection cannot be used for anything else in the middle of a table.
    destroy: (error, done) => {
      if (error) socket?.destroy(error)
      done(error)
    },
  })
  submit(client, {
    submit: (connection) => {
      socket = connection.stream
      connection.query(`copy ${source} to stdout`)
    },
    handleCopyData: ({ chunk }) => {
      // Copied, because pg reads the next messages into the same memory.
      if (!stream.push(Buffer.from(chunk))) socket?.pause()
    },
    handleCommandComplete: ({ text }) => void (rows = rowsOf(text)),
    handleReadyForQuery: () => void stream.push(null),
    handleError: (error) => {
      // The server has ended the statement: the connection stays usable.
      socket = undefined
      stream.destroy(error)
    },
  })
  return { stream, rows: () => rows }
}

/**
 * Resolves with the number of rows that were written.
 * @param target a table with its columns.
 */
export function copyRowsIn(
  client: pg.ClientBase,
  target: string,
  source: AsyncIterable<Buffer>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const refused = new AbortController()
  let rows = 0
  submit(client, {
    submit: (connection) => connection.query(`copy ${target} from stdin`),
    handleCopyInResponse: (connection) => {
      send(connection, source, refused.signal).catch((error: unknown) => {
        reject(error instanceof Error ? error : new Error(String(error)))
        connection.sendCopyFail('the source failed')
      })
    },
    handleCommandComplete: ({ text }) => void (rows = rowsOf(text)),
    handleReadyForQuery: () => resolve(rows),
    handleError: (error) => {
      refused.abort()
      reject(error)
    },
  })
  return promise
}

/** Ends without a word when the server has refused a row. */
async function send(
  connection: CopyConnection,
  source: AsyncIterable<Buffer>,
  refused: AbortSignal,
): Promise<void> {
  const { stream } = connection
  for await (const chunk of source) {
    if (refused.aborted) return
    connection.sendCopyFromChunk(chunk)
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
  if (!refused.aborted) connection.endCopyFrom()
}
