// The OpenAPI document, made of the schemas that validate the requests, with the examples that a test sends.
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import type { Example } from './examples/example.ts'
import { EXAMPLES } from './examples/examples.ts'
import { errorSchema } from './schemas.ts'
import { tusPaths } from './tus-paths.ts'

const COMMON_ERRORS: Record<number, string> = {
  401: 'No valid API key or session token',
  403: 'The key lacks the scope',
  404: 'No such thing in this shop',
  429: 'Too many requests: see Retry-After',
}

const json = (schema: z.ZodType) => ({ 'application/json': { schema } })

export function openApiDocument(endpoints: readonly Endpoint[], baseUrl: string, version: string) {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpoints) (paths[endpoint.path] ??= {})[endpoint.method] = operationOf(endpoint)
  for (const [path, methods] of Object.entries(tusPaths)) paths[path] = { ...paths[path], ...methods }
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Stevedore',
      version,
      description:
        'Import downloadable files, change them in bulk, make download links. Send `Authorization: Bearer <API_KEY>`. ' +
        'Any POST or PUT takes an `Idempotency-Key`: the same request under the same key is carried out once.',
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  })
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods as Record<string, Operation>))
      complete(operation, method, path)
  return document
}

function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { summary, description, tag, scope, params, query, body, replies } = endpoint
  const errors = Object.entries(COMMON_ERRORS).map(([status, text]) => [
    status,
    { description: text, content: json(errorSchema) },
  ])
  const answers = Object.entries(replies).map(([status, { description, schema }]) => [
    status,
    {
      description,
      ...(status === '204' ? {} : { content: schema ? json(schema) : { 'application/octet-stream': {} } }),
    },
  ])
  return {
    summary,
    description: [description, scope ? `Scope: \`${scope}\`.` : ''].filter(Boolean).join('\n\n'),
    tags: [tag],
    requestParams: { ...(params ? { path: params as never } : {}), ...(query ? { query: query as never } : {}) },
    ...(body ? { requestBody: { content: json(body), required: true } } : {}),
    responses: Object.fromEntries([...errors, ...answers]) as never,
  }
}

/** An operation of the document, as far as it is completed here. */
export interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  parameters?: { name: string; in: string; example?: unknown }[]
  requestBody?: { content: Record<string, { schema?: unknown; example?: unknown }>; required?: boolean }
}

/** Gives it a name for programs that are made of the document, and its example. */
function complete(operation: Operation, method: string, path: string): void {
  operation.operationId = operationId(method, path)
  const example: Example | undefined = EXAMPLES[`${method} ${path}`]
  if (!example) return
  const values: Record<string, Example['params']> = {
    path: example.params,
    query: example.query,
    header: example.headers,
  }
  for (const parameter of operation.parameters ?? []) {
    const value = values[parameter.in]?.[parameter.name]
    if (value !== undefined) parameter.example = value
  }
  if (example.body !== undefined) operation.requestBody!.content['application/json']!.example = example.body
  if (!example.content) return
  const { type, text } = example.content
  operation.requestBody ??= { content: {}, required: true }
  const content = (operation.requestBody.content[type] ??= { schema: { type: 'string' } })
  content.example = text
}

/** `post /api/files/{id}/versions` → `postFilesByIdVersions` */
function operationId(method: string, path: string): string {
  const words = path
    .replace('/api/', '')
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^a-z0-9]+/i)
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
