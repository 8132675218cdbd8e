// The endpoints of the API as types, from the OpenAPI document: what each takes and what it answers.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import {
  type Item,
  type Operation,
  type Plugin,
  type Schemas,
  type TriedFile,
  type Workflow,
} from './types.ts'

type Endpoints = Schemas['Endpoints']

/** A method and a path: `GET /api/files/{id}`. */
export type Endpoint = keyof Endpoints

export type Answer<E extends Endpoint> = Endpoints[E] extends { answer: infer Value }
  ? RefinedAnswer<Value>
  : void

/** The answer with the types that the document leaves open (types.ts), also in the rows of a list. */
type RefinedAnswer<Value> = Value extends { data: (infer Row)[] }
  ? Omit<Value, 'data'> & { data: RefinedRecord<Row>[] }
  : RefinedRecord<Value>

type RefinedRecord<Value> = Value extends Schemas['Operation']
  ? Omit<Value, 'source'> & Pick<Operation, 'source'>
  : Value extends Schemas['Item']
    ? Item
    : Value extends Schemas['TriedFile']
      ? TriedFile
      : Value extends Schemas['Plugin']
        ? Plugin
        : Value extends Schemas['Workflow']
          ? Workflow
          : Value

/** The values of a query; empty ones are not sent. */
export type Query = Record<string, QueryValue>
type QueryValue = string | number | boolean | readonly string[] | null | undefined

/** A body may be read-only. */
type SentBody<Value> = Value extends readonly (infer Item)[]
  ? readonly SentBody<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: SentBody<Value[Key]> }
    : Value

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** null: the record is not known yet. */
type PathOf<E extends Endpoint> = [NamesIn<E>] extends [never]
  ? unknown
  : { path: Readonly<Record<NamesIn<E>, string | number | null>> }

type QueryOf<E extends Endpoint> = Endpoints[E] extends { query: infer Known }
  ? { query?: { readonly [Name in keyof Known]?: QueryValue } }
  : unknown

type BodyOf<E extends Endpoint> = Endpoints[E] extends { body: infer Body }
  ? { body: SentBody<Body> }
  : unknown

/** What an endpoint takes. */
export type Params<E extends Endpoint> = PathOf<E> & QueryOf<E> & BodyOf<E>

/** What a page reads from it. A null body is not known yet. */
export type ReadParams<E extends Endpoint> = PathOf<E> &
  QueryOf<E> &
  (BodyOf<E> extends { body: infer Body } ? { body: Body | null } : unknown)

/** The parameters of any endpoint. */
export interface AnyParams {
  path?: Readonly<Record<string, string | number | null>>
  query?: Query
  body?: unknown
}

/** The path with its values, without the method: `/api/files/file_1`. */
export const pathOf = (endpoint: Endpoint, { path = {} }: AnyParams = {}): string =>
  endpoint
    .slice(endpoint.indexOf('/'))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ownValue(path, name))))
