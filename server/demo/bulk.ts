// The platform's bulk queries: a query without pages, run in the background one at a time. Its rows
// are written as JSON lines to a file at a signed address. A nested row names its parent.
import { randomUUID } from 'node:crypto'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse, validate, visit, type DocumentNode, type ExecutionResult } from 'graphql'
import { adminSchema } from './admin-schema.ts'
import { type Notes } from './admin-views.ts'
import { toGid } from './catalog-ids.ts'

export interface BulkRunner {
  /** The root fields for bulk queries. */
  fields: Record<string, (given: { id: string; query: string }) => unknown>
  /** The file at that address, or null. */
  file(url: string): string | null
  /** Removes the files. */
  close(): Promise<void>
}

interface Run {
  __typename: 'BulkOperation'
  id: string
  type: 'QUERY'
  query: string
  status: 'RUNNING' | 'COMPLETED' | 'FAILED'
  errorCode: 'INTERNAL_SERVER_ERROR' | null
  createdAt: string
  completedAt: string | null
  objectCount: number
  rootObjectCount: number
  fileSize: number | null
  url: string | null
  partialDataUrl: null
}

type Row = Record<string, unknown>

const ROW_BATCH = 500
const HOST = 'https://bulk-files.example'

export function createBulkRunner(
  run: (document: DocumentNode, notes: Notes) => ExecutionResult | Promise<ExecutionResult>,
): BulkRunner {
  const runs = new Map<string, Run>()
  const files = new Map<string, string>()
  let folder: Promise<string> | null = null
  let current: Promise<void> = Promise.resolve()
  let closed = false

  const collect = async (operation: Run, document: DocumentNode) => {
    const name = `${randomUUID()}.jsonl`
    const file = path.join(await (folder ??= mkdtemp(path.join(tmpdir(), 'stevedore-bulk-'))), name)
    const out = createWriteStream(file)
    for (let from = 0; !closed; from += ROW_BATCH) {
      const bulk = { from, to: from + ROW_BATCH, rows: 0 }
      const { data, errors } = await run(document, { search: [], bulk })
      if (errors) throw errors[0]!
      operation.rootObjectCount = Math.min(bulk.to, bulk.rows)
      operation.objectCount += await writeRows(out, data as Row)
      if (bulk.to >= bulk.rows) break
      await nextTurn()
    }
    out.end()
    await finished(out)
    operation.fileSize = out.bytesWritten
    // As on the platform: no file if nothing was found.
    if (operation.objectCount > 0) operation.url = `${HOST}/bulk/${name}?signature=${randomUUID()}`
    files.set(`/bulk/${name}`, file)
  }
  const begin = (query: string, document: DocumentNode): Run => {
    // Keeps only the newest file: readers of an older one have it open.
    for (const [url, file] of files) {
      files.delete(url)
      void rm(file, { force: true })
    }
    const operation: Run = { ...blank(), id: toGid('BulkOperation', runs.size + 1), query }
    runs.set(operation.id, operation)
    current = collect(operation, document).then(
      () =>
        void Object.assign(operation, {
          status: 'COMPLETED',
          completedAt: new Date().toISOString(),
        }),
      () => void Object.assign(operation, { status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR' }),
    )
    return operation
  }

  return {
    fields: {
      bulkOperation: ({ id }) => runs.get(id) ?? null,
      bulkOperationRunQuery: ({ query }) => {
        if ([...runs.values()].some(({ status }) => status === 'RUNNING'))
          return refused(
            'OPERATION_IN_PROGRESS',
            'A bulk query operation for this app and shop is already in progress.',
          )
        const document = readQuery(query)
        return typeof document === 'string'
          ? refused('INVALID', document)
          : { bulkOperation: begin(query, document), userErrors: [] }
      },
    },
    file: (url) => files.get(url.split('?')[0]!) ?? null,
    close: async () => {
      closed = true
      await current
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}

const blank = (): Omit<Run, 'id' | 'query'> => ({
  __typename: 'BulkOperation',
  type: 'QUERY',
  status: 'RUNNING',
  errorCode: null,
  createdAt: new Date().toISOString(),
  completedAt: null,
  objectCount: 0,
  rootObjectCount: 0,
  fileSize: null,
  url: null,
  partialDataUrl: null,
})

const refused = (code: string, message: string) => ({
  bulkOperation: null,
  userErrors: [{ code, field: ['query'], message }],
})

/** The query's document, or the reason why it is refused. */
function readQuery(query: string): DocumentNode | string {
  try {
    const document = parse(query)
    const [error] = validate(adminSchema, document)
    if (error) return error.message
    let lists = 0
    visit(document, {
      Field: ({ name }) => void (['edges', 'nodes'].includes(name.value) && lists++),
    })
    return lists > 0 ? document : 'Bulk queries must contain at least one connection.'
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns how many rows were written. */
async function writeRows(out: WriteStream, data: Row): Promise<number> {
  const lines: string[] = []
  for (const value of Object.values(data))
    for (const node of nodesOf(value) ?? []) addRow(lines, node, null)
  if (lines.length > 0 && !out.write(lines.join('\n') + '\n')) await once(out, 'drain')
  return lines.length
}

/** The row without its lists, then the rows of those. */
function addRow(lines: string[], node: Row, parent: unknown): void {
  const lists = Object.entries(node).filter(([, value]) => nodesOf(value) !== null)
  const own: Row = { ...node, ...(parent === null ? {} : { __parentId: parent }) }
  for (const [name] of lists) delete own[name]
  lines.push(JSON.stringify(own))
  for (const [, value] of lists) for (const inner of nodesOf(value)!) addRow(lines, inner, node.id)
}

/** The rows of a list, or null for anything else. */
function nodesOf(value: unknown): Row[] | null {
  const { edges, nodes } = (value ?? {}) as { edges?: { node: Row }[]; nodes?: Row[] }
  if (Array.isArray(nodes)) return nodes
  return Array.isArray(edges) ? edges.map(({ node }) => node) : null
}
