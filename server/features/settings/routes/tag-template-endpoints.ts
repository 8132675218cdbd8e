// Tag templates: tags that are saved under a name, to use again.
import { z } from 'zod'
import { nameKey, sayPlain } from '../../../../plugins/contract/index.ts'
import {
  changeTemplate,
  createTemplate,
  deleteTemplate,
  listTemplates,
  requireTemplate,
  type TagTemplate,
} from '../tag-templates.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { fromCursor, text, listPage } from '../../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import {
  errorSchema,
  givenName,
  listOf,
  shortPage,
  tags as anyTags,
  timestamp,
} from '../../../http/schemas.ts'

const templateSchema = z
  .object({ id: z.string(), name: z.string(), tags: z.array(z.string()), created_at: timestamp })
  .meta({ id: 'TagTemplate' })

const tags = anyTags.min(1, sayPlain('At least one tag'))

const endpoint = endpointsOf({ tag: 'Tags', scope: 'files:write' })
const saved = { description: 'The template', schema: templateSchema }
const taken = { description: 'Another template has this name', schema: errorSchema }
const refused = { description: 'Every problem', schema: errorSchema }

export const tagTemplateRoutes = (): Endpoint[] => [list, create, read, change, remove]

const list = endpoint('GET /api/tag-templates', {
  summary: 'List tag templates, by name',
  scope: 'files:read',
  query: z.strictObject(shortPage),
  replies: { 200: { description: 'A page of templates', schema: listOf(templateSchema) } },
  handler: async ({ caller, query: { limit, cursor } }) => {
    const after = fromCursor(cursor, [text])?.[0] ?? ''
    const rows = await listTemplates(caller.scope, { after, limit: limit + 1 })
    return { body: listPage(rows, limit, (last) => [nameKey(last.name)], recordOf) }
  },
})

const create = endpoint('POST /api/tag-templates', {
  logs: { kind: 'tag_template' },
  summary: 'Create a tag template',
  atomic: true,
  body: z.strictObject({ name: givenName, tags }).meta({ id: 'TagTemplateRequest' }),
  replies: { 201: saved, 409: taken, 422: refused },
  handler: async ({ caller, body }) => ({
    status: 201,
    body: recordOf(await createTemplate(caller.scope, body)),
  }),
})

const read = endpoint('GET /api/tag-templates/{id}', {
  summary: 'Read a tag template',
  scope: 'files:read',
  replies: { 200: saved },
  handler: async ({ caller, params }) => ({
    body: recordOf(await requireTemplate(caller.scope, requirePublicId('template', params.id))),
  }),
})

const change = endpoint('PATCH /api/tag-templates/{id}', {
  logs: { kind: 'tag_template' },
  summary: 'Rename a tag template, or replace its tags',
  body: z
    .strictObject({ name: givenName.optional(), tags: tags.optional() })
    .meta({ id: 'TagTemplateChange' }),
  replies: { 200: saved, 409: taken, 422: refused },
  handler: async ({ caller, params, body }) => ({
    body: recordOf(
      await changeTemplate(caller.scope, requirePublicId('template', params.id), body),
    ),
  }),
})

const remove = endpoint('DELETE /api/tag-templates/{id}', {
  logs: { kind: 'tag_template' },
  summary: 'Delete a tag template; files keep their tags',
  replies: { 204: { description: 'Deleted', schema: null } },
  handler: async ({ caller, params }) => {
    await deleteTemplate(caller.scope, requirePublicId('template', params.id))
    return { status: 204, body: null }
  },
})

const recordOf = ({
  id,
  name,
  tags,
  created_at,
}: TagTemplate): z.output<typeof templateSchema> => ({
  id: toPublicId('template', id),
  name,
  tags,
  created_at: created_at.toISOString(),
})
