// Answers whose text is generated while it is sent: exports and server-sent events.
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import Papa from 'papaparse'
import { plainCell } from '../files/cells.ts'

/**
 * Sends the chunks as the body. If they fail, the connection is closed, so that the client does not
 * treat a part as the whole. If the client disconnects, the chunks are ended.
 */
export function sendChunks(ctx: Context, chunks: AsyncIterable<string>): void {
  const body = Readable.from(chunks)
  // The compression pipes this body into another one without passing on its errors: without this,
  // the response would never end.
  body.on('error', (error) => {
    if (ctx.body !== body) ctx.app.emit('error', error, ctx)
    ctx.res.destroy()
  })
  ctx.res.once('close', () => body.destroy())
  ctx.body = body
}

type CsvRow = readonly (string | number | null | undefined)[]

/** CSV with a line of columns, from pages of rows. No spreadsheet runs a cell of it. */
export async function* csvText(
  columns: readonly string[],
  pages: AsyncIterable<readonly CsvRow[]>,
): AsyncGenerator<string> {
  // The byte-order mark tells a spreadsheet that this is UTF-8.
  yield `\ufeff${columns.join(',')}\r\n`
  for await (const rows of pages)
    if (rows.length > 0)
      yield `${Papa.unparse(
        rows.map((row) => row.map(plainCell)),
        { newline: '\r\n' },
      )}\r\n`
}
