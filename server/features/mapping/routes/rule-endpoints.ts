// The shop's rules that map files by their names.
import { z } from 'zod'
import {
  lastVariableOf,
  NEW_FILES_CHOICES,
  parseNamePattern,
  say,
  sayFixed,
  sayPlain,
  UNSAFE_CHARACTERS,
  wildcardCountOf,
  writeNamePattern,
} from '../../../../plugins/contract/index.ts'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId, toOperationId, toPublicId } from '../../../core/ids.ts'
import { present } from '../../../core/lazy.ts'
import type { Engine } from '../../../engine/engine.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { cutPage } from '../../../http/cursors.ts'
import { errorSchema, listOf, timestamp, pageOfWhole } from '../../../http/schemas.ts'
import { channelOf } from '../../operations/routes.ts'
import {
  changeRule,
  countMatches,
  createRule,
  deleteRule,
  listRules,
  MAX_RULES,
  requireRule,
  unmappedMatches,
  type MappingRuleRow,
  type RuleTarget,
} from '../model/mapping-rules.ts'

const ACTION = 'map-products'
const MAX_TEXT = 100

const pattern = z
  .string()
  .trim()
  .min(1, sayPlain('Enter a part of the names'))
  .max(MAX_TEXT, `At most ${MAX_TEXT} characters`)
  .refine(
    (name) => name.isWellFormed() && !UNSAFE_CHARACTERS.test(name),
    sayPlain('A name cannot contain control characters'),
  )
  .refine((name) => /[^*]/.test(name), sayPlain('Enter a part of the names, besides *'))
  .describe(
    'The name of a file, with or without its extension; `*` is any text: `WS-*`, `*workbook*`, `*_guide.pdf`. Case is ignored.',
  )
const position = z
  .number()
  .int()
  .min(1)
  .max(MAX_RULES)
  .describe('From 1: the first rule that a name matches counts')
const productId = z.string().max(255)
const variantId = z.string().max(255).nullable().describe('Null: the whole product')
const NO_VARIABLE = sayFixed('The variables are {first} to {last}', { first: '{1}', last: '{9}' })
const skuTemplate = z
  .string()
  .trim()
  .min(1, sayPlain('Enter a SKU'))
  .max(255)
  .refine((sku) => !/\{(?:0|\d{2,})\}/.test(sku), NO_VARIABLE)
  .describe(
    'The SKU of the product, instead of `product_id`: `{1}` is the text of the first `*`, `{2}` of the second. A file whose SKU is unknown is left to the next rules.',
  )

const newFiles = z
  .enum(NEW_FILES_CHOICES)
  .nullable()
  .describe(
    'Whether files that it maps to a product that was sold go to its past buyers; null: as the product or the shop says',
  )

const ruleSchema = z
  .object({
    id: z.string(),
    pattern: z.string(),
    product_id: z.string().nullable().describe('Null: `sku_template` names it'),
    product_title: z.string().nullable(),
    sku_template: z.string().nullable(),
    variant_id: z.string().nullable(),
    variant_title: z.string().nullable(),
    image: z.string().nullable().describe('Of the product'),
    missing: z.boolean().describe('The catalog has the product no longer: the rule is passed over'),
    new_files: newFiles,
    created_at: timestamp,
    created_by: z.string(),
  })
  .meta({ id: 'MappingRule' })

const endpoint = endpointsOf({ tag: 'Products', scope: 'settings:write' })
const saved = { description: 'The rule', schema: ruleSchema }
const taken = { description: 'Another rule is about the same names', schema: errorSchema }
const refused = { description: 'Every problem', schema: errorSchema }

export const ruleRoutes = ({ engine }: { engine: Engine }): Endpoint[] => [
  list(),
  // Before the routes with an id: `count` is not an id.
  count(),
  create(),
  read(),
  change(),
  remove(),
  apply(engine),
]

const list = () =>
  endpoint('GET /api/mapping-rules', {
    summary: 'List the rules that map files by their names, in their order',
    description: `Imports and re-matches apply them after a SKU that the import names, and before guesses. At most ${MAX_RULES}.`,
    scope: 'files:read',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'All rules', schema: listOf(ruleSchema) } },
    handler: async ({ caller, query }) => ({
      body: cutPage((await listRules(caller.scope)).map(recordOf), query, ({ id }) => id),
    }),
  })

const count = () =>
  endpoint('GET /api/mapping-rules/count', {
    summary: 'Count the files whose names a rule would match',
    scope: 'files:read',
    query: z.strictObject({ pattern }),
    replies: {
      200: {
        description: 'The files that the shop has now',
        schema: z
          .object({
            files: z.number().int(),
            unmapped: z.number().int().describe('Of them, those that never had a product'),
            examples: z.array(z.string()).describe('Some of their names'),
          })
          .meta({ id: 'MappingRuleCount' }),
      },
    },
    handler: async ({ caller, query }) => ({
      body: await countMatches(caller.scope, parseNamePattern(query.pattern)),
    }),
  })

interface TargetGiven {
  product_id?: string | undefined
  variant_id?: string | null | undefined
  sku_template?: string | undefined
}

const ONE_TARGET = {
  path: ['product_id'],
  message: sayPlain('Send either product_id or sku_template'),
}
const NO_VARIANT = {
  path: ['variant_id'],
  message: sayPlain('Name the variant’s product too'),
}
const hasNoSkuOfVariant = ({ variant_id, sku_template }: TargetGiven) =>
  sku_template === undefined || (variant_id ?? null) === null

/**
 * What the rule maps to after a change. Throws `validation_failed` if the SKU needs more `*` than
 * the pattern has.
 */
function targetOf(
  { product_id, variant_id, sku_template }: TargetGiven,
  old: Pick<MappingRuleRow, 'product_id' | 'variant_id' | 'sku_template'> | null,
  written: string,
): RuleTarget {
  const template = sku_template ?? (product_id === undefined ? old?.sku_template : null) ?? null
  if (template !== null) {
    requireWildcards(template, written)
    return { product_id: null, variant_id: null, sku_template: template }
  }
  const product = product_id ?? present(old?.product_id ?? undefined, 'The product')
  const kept = product === old?.product_id ? old.variant_id : null
  return {
    product_id: product,
    variant_id: variant_id === undefined ? kept : variant_id,
    sku_template: null,
  }
}

function requireWildcards(template: string, written: string): void {
  const [needed, given] = [lastVariableOf(template), wildcardCountOf(written)]
  if (needed <= given) return
  const message = say(
    '{variable} is the text of a * that the pattern does not have: it has {count}',
    {
      variable: `{${needed}}`,
      count: given,
    },
  )
  const details = [{ param: 'sku_template', code: 'invalid_value', message } as const]
  throw new AppError('validation_failed', { param: 'sku_template', details })
}

const create = () =>
  endpoint('POST /api/mapping-rules', {
    logs: { kind: 'mapping_rule' },
    summary: 'Create a rule that maps files by their names',
    atomic: true,
    body: z
      .strictObject({
        pattern,
        product_id: productId.optional(),
        variant_id: variantId.optional(),
        sku_template: skuTemplate.optional(),
        new_files: newFiles.default(null),
        position: position.optional().describe('Absent: the last'),
      })
      .refine(
        ({ product_id, sku_template }) =>
          (product_id === undefined) !== (sku_template === undefined),
        ONE_TARGET,
      )
      .refine(hasNoSkuOfVariant, NO_VARIANT)
      .meta({ id: 'MappingRuleRequest' }),
    replies: { 201: saved, 409: taken, 422: refused },
    handler: async ({
      caller,
      body: { position: place = null, pattern: written, new_files, ...given },
    }) => {
      const target = targetOf(given, null, written)
      const rule = { ...parseNamePattern(written), ...target, new_files }
      const made = await createRule(caller.scope, rule, { place, by: caller.name })
      return { status: 201, body: recordOf(made) }
    },
  })

const read = () =>
  endpoint('GET /api/mapping-rules/{id}', {
    summary: 'Read a rule',
    scope: 'files:read',
    replies: { 200: saved },
    handler: async ({ caller, params }) => ({
      body: recordOf(await requireRule(caller.scope, requirePublicId('rule', params.id))),
    }),
  })

const change = () =>
  endpoint('PATCH /api/mapping-rules/{id}', {
    logs: { kind: 'mapping_rule' },
    summary: 'Change a rule, or its place',
    body: z
      .strictObject({
        pattern: pattern.optional(),
        product_id: productId.optional(),
        variant_id: variantId.optional(),
        sku_template: skuTemplate.optional(),
        new_files: newFiles.optional(),
        position: position.optional(),
      })
      .refine(
        ({ product_id, sku_template }) => product_id === undefined || sku_template === undefined,
        ONE_TARGET,
      )
      .refine(hasNoSkuOfVariant, NO_VARIANT)
      .meta({ id: 'MappingRuleChange' }),
    replies: { 200: saved, 409: taken, 422: refused },
    handler: async ({
      caller,
      params,
      body: { position: place, pattern: written, new_files, ...given },
    }) => {
      const id = requirePublicId('rule', params.id)
      const changed = await changeRule(caller.scope, id, {
        pattern: written === undefined ? undefined : parseNamePattern(written),
        target: (old) => targetOf(given, old, written ?? writeNamePattern(old)),
        place,
        new_files,
      })
      return { body: recordOf(changed) }
    },
  })

const remove = () =>
  endpoint('DELETE /api/mapping-rules/{id}', {
    logs: { kind: 'mapping_rule' },
    summary: 'Delete a rule; files keep their products',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await deleteRule(caller.scope, requirePublicId('rule', params.id))
      return { status: 204, body: null }
    },
  })

const apply = (engine: Engine) =>
  endpoint('POST /api/mapping-rules/{id}/apply', {
    summary: 'Map the files that match a rule and never had a product',
    scope: 'files:write',
    replies: {
      202: {
        description: 'An operation maps them',
        schema: z.object({
          files: z.number().int(),
          job_id: z.string().nullable().describe('Null: there is no such file'),
        }),
      },
    },
    handler: async ({ caller, params }) => {
      const rule = await requireRule(caller.scope, requirePublicId('rule', params.id))
      const ids = await unmappedMatches(caller.scope, rule)
      if (ids.length === 0) return { status: 202, body: { files: 0, job_id: null } }
      const operation = await engine.start(caller.scope, {
        workflow: present(engine.workflow(ACTION), ACTION),
        channel: channelOf(caller),
        source: { type: 'files', ids },
        request: {},
        requestedBy: caller.name,
      })
      const job_id = toOperationId('bulk', operation)
      return {
        status: 202,
        headers: { Location: `/api/operations/${job_id}` },
        body: { files: ids.length, job_id },
      }
    },
  })

const recordOf = (row: MappingRuleRow): z.output<typeof ruleSchema> => ({
  id: toPublicId('rule', row.id),
  pattern: writeNamePattern(row),
  product_id: row.product_id,
  variant_id: row.variant_id,
  sku_template: row.sku_template,
  product_title: row.current_title ?? row.product_title,
  variant_title: row.variant_title,
  image: row.image,
  missing:
    row.product_id !== null &&
    (row.current_title === null || (row.variant_id !== null && row.variant_title === null)),
  new_files: row.new_files,
  created_at: row.created_at.toISOString(),
  created_by: row.created_by,
})
