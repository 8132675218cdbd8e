// Lists the links that an operation created, as a downloadable CSV file.
import Papa from 'papaparse'
import { z } from 'zod'
import {
  type BaseContext,
  dayAt,
  definePlugin,
  plainCell,
  say,
  type MadeLink,
  type OperationContext,
  type OperationView,
} from '../contract/index.ts'

const COLUMNS = ['filename', 'url', 'email', 'expires_at', 'download_limit'] as const

const options = z.strictObject({})

export const listLinks = definePlugin({
  id: 'list-links',
  kind: 'act',
  title: 'List the links',
  actions: [],
  options,
  // An undo revokes all links that it lists.
  undo: 'fields',
  needs: ['artifacts', 'listings'],
  document: true,
  scope: 'operation',
  permission: 'links:write',
  // A cancelled operation may have created links, and may have sent them.
  always: true,
  summary: () => say('Lists the links as a CSV file'),
  async *plan(operation, _options, context) {
    context.signal.throwIfAborted()
    yield say('{name}: a CSV file with the links', { name: nameOf(operation, context.shop) })
  },
  async run(operation, _options, context) {
    context.signal.throwIfAborted()
    if (operation.done > 0)
      await context.artifacts.write(nameOf(operation, context.shop), 'text/csv', csvOf(context))
    return {}
  },
})

const nameOf = ({ started_at }: OperationView, { settings }: BaseContext['shop']) =>
  `links-${dayAt(started_at, settings.time_zone)}.csv`

async function* csvOf({
  listings,
  signal,
}: OperationContext<'listings'>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  // Spreadsheets recognise UTF-8 by the byte-order mark.
  yield encoder.encode(`\ufeff${COLUMNS.join(',')}\r\n`)
  for await (const links of listings.links(signal))
    if (links.length > 0)
      yield encoder.encode(`${Papa.unparse(links.map(cellsOf), { newline: '\r\n' })}\r\n`)
}

const cellsOf = (link: MadeLink): string[] => COLUMNS.map((name) => plainCell(link[name]))
