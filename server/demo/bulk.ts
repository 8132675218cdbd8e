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
import { firstOf } from '../core/lazy.ts'

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

/** Executes a document; `notes.bulk` says which rows of its list are read. */
type Execute = (document: DocumentNode, notes: Notes) => ExecutionResult | Promise<ExecutionResult>

export const createBulkRunner = (execute: Execute): BulkRunner => new BulkRuns(execute)

class BulkRuns implements BulkRunner {
  readonly #execute: Execute
  readonly #runs = new Map<string, Run>()
  readonly #files = new Map<string, string>()
  #folder: Promise<string> | null = null
  #current: Promise<void> = Promise.resolve()
  #closed = false

  constructor(execute: Execute) {
    this.#execute = execute
  }

  readonly fields: BulkRunner['fields'] = {
    bulkOperation: ({ id }) => this.#runs.get(id) ?? null,
    bulkOperationRunQuery: ({ query }) => {
      if ([...this.#runs.values()].some(({ status }) => status === 'RUNNING'))
        return refused(
          'OPERATION_IN_PROGRESS',
          'A bulk query operation for this app and shop is already in progress.',
        )
      const document = readQuery(query)
      return typeof document === 'string'
        ? refused('INVALID', document)
        : { bulkOperation: this.#begin(query, document), userErrors: [] }
    },
  }

  file(url: string): string | null {
    return this.#files.get(firstOf(url.split('?', 1))) ?? null
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#current
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true })
  }

  #begin(query: string, document: DocumentNode): Run {
    // Keeps only the newest file: readers of an older one have it open.
    for (const [url, file] of this.#files) {
      this.#files.delete(url)
      void rm(file, { force: true })
    }
    const operation: Run = { ...blank(), id: toGid('BulkOperation', this.#runs.size + 1), query }
    this.#runs.set(operation.id, operation)
    this.#current = this.#collect(operation, document).then(
      () =>
        void Object.assign(operation, {
          status: 'COMPLETED',
          completedAt: new Date().toISOString(),
        }),
      () => void Object.assign(operation, { status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR' }),
    )
    return operation
  }

  async #collect(operation: Run, document: DocumentNode): Promise<void> {
    const name = `${randomUUID()}.jsonl`
    this.#folder ??= mkdtemp(path.join(tmpdir(), 'stevedore-bulk-'))
    const file = path.join(await this.#folder, name)
    const out = createWriteStream(file)
    for (let from = 0; !this.#closed; from += ROW_BATCH) {
      const bulk = { from, to: from + ROW_BATCH, rows: 0 }
      const { data, errors } = await this.#execute(document, { search: [], bulk })
      if (errors) throw firstOf(errors)
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
    this.#files.set(`/bulk/${name}`, file)
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
  const lists = Object.entries(node).flatMap(([name, value]) => {
    const nodes = nodesOf(value)
    return nodes ? [{ name, nodes }] : []
  })
  const apart = new Set(lists.map(({ name }) => name))
  const own = Object.entries(node).filter(([name]) => !apart.has(name))
  if (parent !== null) own.push(['__parentId', parent])
  lines.push(JSON.stringify(Object.fromEntries(own)))
  for (const { nodes } of lists) for (const inner of nodes) addRow(lines, inner, node.id)
}

/** The rows of a list, or null for anything else. */
function nodesOf(value: unknown): Row[] | null {
  const { edges, nodes } = (value ?? {}) as { edges?: { node: Row }[]; nodes?: Row[] }
  if (Array.isArray(nodes)) return nodes
  return Array.isArray(edges) ? edges.map(({ node }) => node) : null
}
