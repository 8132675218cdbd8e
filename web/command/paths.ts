// The endpoints of the API in the form of `openapi-fetch`, from the page's types of them. Types
// alone: the package has this file as a declaration.
import type { components } from '../shell/client/api.gen.ts'

export type Schemas = components['schemas']
type Endpoints = Schemas['Endpoints']
/** A method and a path: `GET /api/files/{id}`. */
export type Endpoint = keyof Endpoints & string

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type PathOf<E extends string> = E extends `${string} ${infer Path}` ? Path : never
type MethodOf<E extends string> = E extends `${infer Method} ${string}` ? Lowercase<Method> : never

/** Headers that an endpoint may take: a key for repetition, how long to wait, and an ETag. */
interface Headers {
  'Idempotency-Key'?: string
  Prefer?: string
  'If-Match'?: string
  'If-None-Match'?: string
}

interface Parameters<E extends Endpoint> {
  query?: Endpoints[E] extends { query: infer Query } ? Query : never
  header?: Headers
  path: [NamesIn<PathOf<E>>] extends [never] ? never : Record<NamesIn<PathOf<E>>, string>
}

/** A body whose fields may all be left out may be left out too. */
type Body<E extends Endpoint> = Endpoints[E] extends { body: infer Sent }
  ? object extends Sent
    ? { requestBody?: { content: { 'application/json': Sent } } }
    : { requestBody: { content: { 'application/json': Sent } } }
  : { requestBody?: never }

type Operation<E extends Endpoint> = Body<E> & {
  parameters: [NamesIn<PathOf<E>>] extends [never] ? Omit<Parameters<E>, 'path'> : Parameters<E>
  responses: {
    200: Endpoints[E] extends { answer: infer Answer }
      ? { content: { 'application/json': Answer } }
      : { content?: never }
    default: { content: { 'application/json': Schemas['Error'] } }
  }
}

/** All endpoints, by path and method. */
export type Paths = {
  [Path in PathOf<Endpoint>]: {
    [E in Extract<Endpoint, `${string} ${Path}`> as MethodOf<E>]: Operation<E>
  }
}

/** Paths of lists that have pages. */
export type ListPath = {
  [E in Endpoint]: E extends `GET ${infer Path}`
    ? Endpoints[E] extends { answer: { data: unknown[]; next_cursor: string | null } }
      ? Path
      : never
    : never
}[Endpoint]

export type RowOf<Path extends ListPath> = `GET ${Path}` extends keyof Endpoints
  ? Endpoints[`GET ${Path}`] extends { answer: { data: (infer Row)[] } }
    ? Row
    : never
  : never

export type QueryOf<Path extends ListPath> = `GET ${Path}` extends keyof Endpoints
  ? Endpoints[`GET ${Path}`] extends { query: infer Query }
    ? Query
    : never
  : never

/** The query of a list, and the values of the names in its path: `{ id }` of `…/{id}/items`. */
export type AboutList<Path extends ListPath> = [NamesIn<Path>] extends [never]
  ? [query?: QueryOf<Path>]
  : [query: QueryOf<Path>, params: Readonly<Record<NamesIn<Path>, string>>]
