// The OpenAPI document, made of the schemas that validate the requests, and the page that shows it.
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { errorSchema } from './schemas.ts'

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
  return createDocument({
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
