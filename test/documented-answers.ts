// Compares every answer that a test gets with the schema of its endpoint: the types of handlers do not, and
// a generated client reads no other fields.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { editedRecords } from '../server/http/edits.ts'
import type { Endpoint } from '../server/http/endpoint.ts'
import { ALWAYS, errorCodesOf, thrownBy } from '../server/http/endpoint-errors.ts'

export type AnswerSchemas = readonly {
  method: string
  path: RegExp
  schemas: Endpoint['replies']
  /** The error codes of the document; null: they are not derived yet, as of endpoints of tests. */
  codes: ReadonlySet<unknown> | null
}[]

/** Fixed paths first, as the server finds them. */
export function answerSchemas(endpoints: readonly Endpoint[]): AnswerSchemas {
  const edited = editedRecords(endpoints)
  const codesOf = (endpoint: Endpoint) =>
    new Set([...ALWAYS, ...[...errorCodesOf(endpoint, edited.has(endpoint.path)).values()].flat()])
  return endpoints
    .map(({ method, path, replies, ...endpoint }) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`),
      params: path.split('{').length,
      schemas: replies,
      codes: thrownBy({ method, path }) ? codesOf({ method, path, replies, ...endpoint }) : null,
    }))
    .toSorted((a, b) => a.params - b.params)
}

/** Throws if the body of a success, or the code of an error, is not as documented. */
export function requireDocumented(
  all: AnswerSchemas,
  method: string,
  route: string,
  { status, body }: { status: number; body: unknown },
): void {
  const [path = ''] = route.split('?')
  const found = all.find((one) => one.method === method && one.path.test(path))
  if (status >= 400 && found?.codes) {
    const { code } = ((body ?? {}) as { error?: { code?: unknown } }).error ?? {}
    if (code === undefined || found.codes.has(code)) return
    throw new Error(
      `${method} ${path} answered ${String(code)}, which its document lacks: \`npm run error-codes\``,
    )
  }
  if (status >= 300 || typeof body === 'string') return
  const schema = found?.schemas[status]?.schema
  if (!(schema instanceof z.ZodType)) return
  const { success, data, error } = schema.safeParse(body)
  if (success && isDeepStrictEqual(data, body)) return
  const problem = error ? z.prettifyError(error) : 'it has fields that are not documented'
  throw new Error(`${method} ${path}: ${problem}\n${JSON.stringify(body).slice(0, 1000)}`)
}
