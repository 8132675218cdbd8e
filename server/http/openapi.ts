// The OpenAPI document, generated from the schemas that validate the requests, with the examples
// that a test sends.
import { ownValue } from '../../plugins/contract/index.ts'
import {
  createDocument,
  createSchema,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { z } from 'zod'
import { TEST_EVENT, type WebhookEvent } from '../core/outbox/webhook-events.ts'
import { ERRORS } from '../core/errors.ts'
import { present } from '../core/lazy.ts'
import { editedRecords, type EditedRecord } from './edits.ts'
import { scopesOf, type Endpoint } from './endpoint.ts'
import { errorCodesOf } from './endpoint-errors.ts'
import { LINE_TYPES } from './lines.ts'
import type { Example, Examples } from './example.ts'
import { MAX_WAIT_SECONDS } from './body.ts'
import { ANY_OTHER_ERROR, errorReply, timestamp } from './schemas.ts'
import { TAGS, type Tag } from './tags.ts'

const WEBHOOKS: Tag = 'Webhooks'

const json = (schema: z.ZodType) => ({ 'application/json': { schema } })

/** What a status means, unless the endpoint says it. Others: the message of its first code. */
const MEANINGS: Partial<Record<number, string>> = {
  400: 'The body is not valid JSON',
  401: 'No valid API key or session token',
  403: 'The key lacks the scope',
  404: 'Not found in this shop',
  409: 'It is not possible now, or the `Idempotency-Key` was used with another request',
  412: 'A field was changed since the `ETag` in `If-Match`; the body has the record',
  413: 'The body is too large',
  415: 'The body is not sent as JSON',
  422: 'Every problem',
  429: 'Too many requests: see Retry-After',
}

/** The error answers of an endpoint, each with its codes: in words, and for programs. */
function errorAnswers(endpoint: Endpoint, edited: ReadonlyMap<string, EditedRecord>) {
  const { replies } = endpoint
  const answers = [...errorCodesOf(endpoint, isEdit(endpoint, edited))].map(([status, codes]) => {
    const [first] = codes
    const meaning =
      replies[status]?.description ?? MEANINGS[status] ?? (first ? ERRORS[first].message : '')
    const named = codes.map((code) => `\`${code}\``).join(', ')
    return [status, { ...errorReply(`${meaning} (${named})`), 'x-error-codes': codes }]
  })
  return Object.fromEntries(answers) as Record<string, ReturnType<typeof errorReply>>
}

const takesKey = ({ method }: Pick<Endpoint, 'method'>) => method === 'post' || method === 'put'
const isEdit = (
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  edited: ReadonlyMap<string, EditedRecord>,
) => (method === 'put' || method === 'patch') && edited.has(path)
/** May the endpoint wait for the end of an operation, and answer earlier with 202? */
const mayWait = ({ replies }: Pick<Endpoint, 'replies'>) => 200 in replies && 202 in replies

const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe('The same request with the same key runs once, and gets the same answer for 24 hours')
const prefer = z.string().optional().describe(`\`wait=SECONDS\` (up to ${MAX_WAIT_SECONDS})
      or \`respond-async\`: how long to wait for the end before 202`)

const ifMatch = z
  .string()
  .optional()
  .describe('The `ETag` of the record as you know it: a field that was changed since is kept')

function headersOf(endpoint: Endpoint, edited: ReadonlyMap<string, EditedRecord>) {
  const headers = {
    ...(isEdit(endpoint, edited) ? { 'If-Match': ifMatch } : {}),
    ...(takesKey(endpoint) ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(mayWait(endpoint) ? { Prefer: prefer } : {}),
  }
  return Object.keys(headers).length === 0 ? {} : { header: z.object(headers) }
}

function contentOf(status: string, { schema, type }: Endpoint['replies'][number]) {
  if (status === '204' || status === '304') return {}
  return { content: schema ? json(schema) : { [type ?? 'application/octet-stream']: {} } }
}

/** @param others paths that other servers answer, such as the tus server */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  others: ZodOpenApiPathsObject,
  {
    examples,
    events,
    baseUrl,
    version,
  }: {
    examples: Examples
    /** What webhooks can receive. */
    events: readonly WebhookEvent[]
    baseUrl: string
    version: string
  },
) {
  const paths = new Map<string, ZodOpenApiPathsObject[string]>()
  const edited = editedRecords(endpoints)
  for (const endpoint of endpoints)
    paths.set(endpoint.path, {
      ...paths.get(endpoint.path),
      [endpoint.method]: operationOf(endpoint, edited),
    })
  for (const [path, methods] of Object.entries(others))
    paths.set(path, { ...paths.get(path), ...methods })
  const content: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Stevedore',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Import downloadable files, change them in bulk, create download links. Send `Authorization: Bearer <API_KEY>`. ' +
        'An answer to a GET has an `ETag`; with `If-None-Match`, an unchanged one is 304 without a body. ' +
        'A PUT or PATCH of a record takes its `ETag` in `If-Match`: it is 412 if a field that it changes was changed meanwhile. ' +
        'Any POST or PUT takes an `Idempotency-Key`: the same request under the same key runs once. ' +
        'Lengths of texts (`maxLength`) count UTF-16 code units: most emoji are two.',
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths: Object.fromEntries(paths),
    webhooks: Object.fromEntries(
      [...events, TEST_EVENT].map((event) => [event.name, { post: messageOperation(event) }]),
    ),
    tags: tagsOf(endpoints),
  }
  const document = createDocument(content, {
    override: ({ jsonSchema }) => {
      withoutForm(jsonSchema)
      spellPattern(jsonSchema)
    },
  })
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods as Record<string, OpenApiOperation>))
      completeOperation(operation, method, path, examples[`${method} ${path}`])
  return document
}

/** All tags in the order of the endpoints, because generators group the operations by them. */
function tagsOf(endpoints: readonly Endpoint[]): { name: Tag; description: string }[] {
  const names = new Set([...endpoints.map(({ tag }) => tag), WEBHOOKS])
  return [...names].map((name) => ({ name, description: TAGS[name] }))
}

/** What draws a form of the page, and is no keyword of JSON Schema: validators refuse it. */
const FORM_WORDS = ['widget', 'choices', 'help', 'missing', 'absent', 'start', 'percent', 'suffix']
const MORE_FORM_WORDS = ['placeholder', 'files', 'sensitive']

function withoutForm(schema: object): void {
  for (const word of [...FORM_WORDS, ...MORE_FORM_WORDS]) Reflect.deleteProperty(schema, word)
}

/**
 * Validators of other languages have no `\\p{…}`, or another one: control characters are spelled out,
 * and a pattern with letters of all scripts is left to `format` and the server.
 */
function spellPattern(schema: { pattern?: string }): void {
  const spelled = schema.pattern?.replaceAll(String.raw`\p{Cc}`, String.raw`\x00-\x1f\x7f-\x9f`)
  if (spelled?.includes(String.raw`\p{`)) delete schema.pattern
  else if (spelled !== undefined) schema.pattern = spelled
}

function operationOf(
  endpoint: Endpoint,
  edited: ReadonlyMap<string, EditedRecord>,
): ZodOpenApiOperationObject {
  const { method, summary, description, tag, params, query, body, replies } = endpoint
  const errors = errorAnswers(endpoint, edited)
  const answers = Object.entries(replies).map(([status, reply]) => [
    status,
    { description: reply.description, ...contentOf(status, reply) },
  ])
  const unchanged = method === 'get' && replies[200]?.schema ? { 304: UNCHANGED } : {}
  return {
    summary,
    description: [description, scopeText(endpoint)].filter(Boolean).join('\n\n'),
    tags: [tag],
    requestParams: {
      ...(params ? { path: params as never } : {}),
      ...(query ? { query: query as never } : {}),
      ...headersOf(endpoint, edited),
    },
    ...(body
      ? {
          requestBody: {
            content: { ...json(body), ...linesContent(endpoint) },
            required: !body.safeParse(undefined).success,
          },
        }
      : {}),
    responses: {
      ...unchanged,
      ...Object.fromEntries(answers),
      ...errors,
      default: ANY_OTHER_ERROR,
    },
  }
}

/** OpenAPI 3.1 has no schema of the lines, so that the description names it. */
const linesContent = ({ lines }: Endpoint) =>
  lines
    ? {
        [LINE_TYPES[0]]: {
          schema: { type: 'string' as const, description: lines.description },
        },
      }
    : {}

const UNCHANGED = { description: 'The client’s answer is current: `If-None-Match`' }

type DocumentedEvent = Pick<WebhookEvent, 'name' | 'about' | 'data'>

/** The message of an event, as the receiver of a webhook gets it. */
const messageOperation = (event: DocumentedEvent): ZodOpenApiOperationObject => ({
  summary: event.about,
  operationId: `on${pascalCase(event.name)}`,
  tags: [WEBHOOKS],
  // It has a signature instead.
  security: [],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: messageSchema(event) } },
  },
  responses: { 200: { description: 'Any status from 200 to 299 accepts the message' } },
})

/** The schema of a message, with the references of an answer: as a request it would get a second set. */
const messageSchema = ({ name, data }: DocumentedEvent) =>
  createSchema(z.object({ type: z.literal(name), timestamp, data }), { io: 'output' }).schema

function scopeText(endpoint: Endpoint): string {
  const scopes = scopesOf(endpoint).map((scope) => `\`${scope}\``)
  return scopes.length === 0 ? '' : `Scope: ${scopes.join(' or ')}.`
}

/** The parts of an operation of the document that are completed here. */
export interface OpenApiOperation {
  operationId?: string
  summary?: string
  tags?: string[]
  parameters?: { name: string; in: string; schema?: unknown; example?: unknown }[]
  requestBody?: {
    content: Record<string, { schema?: unknown; example?: unknown }>
    required?: boolean
  }
}

/** Adds an operation id, for generated clients, and the example. */
function completeOperation(
  operation: OpenApiOperation,
  method: string,
  path: string,
  example: Example | undefined,
): void {
  operation.operationId = operationId(method, path)
  if (!example) return
  const values: Record<string, Example['params']> = {
    path: example.params,
    query: example.query,
    header: example.headers,
  }
  for (const parameter of operation.parameters ?? []) {
    const value = ownValue(ownValue(values, parameter.in), parameter.name)
    if (value !== undefined) parameter.example = typedExample(value, parameter.schema)
  }
  if (example.body !== undefined) jsonContentOf(operation).example = example.body
  const lines = operation.requestBody?.content[LINE_TYPES[0]]
  if (lines && example.lines !== undefined) lines.example = example.lines
  if (!example.content) return
  const { type, text } = example.content
  operation.requestBody ??= { content: {}, required: true }
  const { content } = operation.requestBody
  const given = ownValue(content, type) ?? { schema: { type: 'string' } }
  operation.requestBody.content = { ...content, [type]: { ...given, example: text } }
}

/** An example of a request line as a value of its schema: `100` of an integer is a number. */
function typedExample(value: unknown, schema: unknown): unknown {
  const type =
    typeof schema === 'object' && schema !== null && 'type' in schema ? schema.type : undefined
  if (typeof value !== 'string') return value
  if (type === 'integer' || type === 'number') return Number(value)
  if (type === 'boolean') return value === 'true'
  return type === 'array' ? value.split(',') : value
}

const jsonContentOf = ({ operationId = '', requestBody }: OpenApiOperation) =>
  present(requestBody?.content['application/json'], `The JSON body of ${operationId}`)

/**
 * `post /api/files/{id}/versions` → `postFilesByIdVersions`, `post /licences/verify` →
 * `postPublicLicencesVerify`: `/api/licences/verify` is the same for programs of the shop.
 */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/(api\/)?/, (_, api) => (api ? '' : 'public-'))
    .replace(/\{(\w+)\}/g, 'by-$1')
  return method + pascalCase(words)
}

/** `file.imported` → `FileImported` */
const pascalCase = (text: string): string =>
  text
    .split(/[^a-z0-9]+/i)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
