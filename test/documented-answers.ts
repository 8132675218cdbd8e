// Compares every answer that a test gets with the schema of its endpoint: the types of handlers do not, and
// a generated client reads no other fields.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Endpoint } from '../server/http/endpoint.ts'

export type AnswerSchemas = readonly {
  method: string
  path: RegExp
  schemas: Endpoint['replies']
}[]

/** Fixed paths first, as the server finds them. */
export const answerSchemas = (endpoints: readonly Endpoint[]): AnswerSchemas =>
  endpoints
    .map(({ method, path, replies }) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`),
      params: path.split('{').length,
      schemas: replies,
    }))
    .toSorted((a, b) => a.params - b.params)

/** Throws if the body of a success is not as documented. */
export function requireDocumented(
  all: AnswerSchemas,
  method: string,
  route: string,
  { status, body }: { status: number; body: unknown },
): void {
  const [path = ''] = route.split('?')
  if (status >= 300 || typeof body === 'string') return
  const found = all.find((one) => one.method === method && one.path.test(path))
  const schema = found?.schemas[status]?.schema
  if (!(schema instanceof z.ZodType)) return
  const { success, data, error } = schema.safeParse(body)
  if (success && isDeepStrictEqual(data, body)) return
  const problem = error ? z.prettifyError(error) : 'it has fields that are not documented'
  throw new Error(`${method} ${path}: ${problem}\n${JSON.stringify(body).slice(0, 1000)}`)
}
