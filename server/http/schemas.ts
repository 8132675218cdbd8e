// The shapes of requests and replies. They validate, and their .meta() describes them.
import { headersProblem } from '../core/fetch-headers.ts'
import { z } from 'zod'
import {
  MAX_NAMED_PRODUCTS,
  numeric,
  ON_CONFLICT,
  sayPlain,
  settingFields,
  type Text,
  textIssue,
  UNSAFE_CHARACTERS,
  sayFixed,
} from '../../plugins/contract/index.ts'
import {
  filenameProblem,
  linkUrlProblem,
  MAX_TAGS,
  tagForm,
  tagProblem,
  urlProblem,
  type Problem,
} from '../files/rules.ts'

const MAX_PRODUCT_TEXT = 8000

/** How a file was mapped to its product: the values of mappings.method. */
export const mappingMethod = z.enum(['sku', 'filename', 'title', 'tags', 'manual', 'pack', 'rule'])

const followsRule =
  (rule: (value: string) => Problem | null) => (value: string, context: z.RefinementCtx) => {
    const problem = rule(value)
    if (problem) context.addIssue(textIssue(problem.message, { code: problem.code }))
  }
const ruled = (rule: (value: string) => Problem | null) => z.string().superRefine(followsRule(rule))

export const filename = ruled(filenameProblem).meta({
  description: 'Display name, unique in the shop',
  example: 'guide.pdf',
})
export const fetchUrl = ruled(urlProblem).meta({
  description: 'The address from which the file is fetched',
  example: 'https://cdn.example.com/guide.pdf',
})
export const linkUrl = ruled(linkUrlProblem).meta({
  description: 'The address that buyers of the link are sent to',
  example: 'https://courses.example.com/lino-printing',
})
export const fetchHeaders = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    const problem = headersProblem(headers)
    if (problem) context.addIssue(textIssue(problem.message, { code: problem.code }))
  })
  .meta({ example: { Authorization: 'Bearer …' } })
export const tags = z
  .array(z.string().overwrite(tagForm).superRefine(followsRule(tagProblem)))
  .max(MAX_TAGS, sayFixed('At most {count} tags', { count: MAX_TAGS }))

const productText = z.string().min(1).max(MAX_PRODUCT_TEXT)
export const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, sayPlain('This is not a SHA-256 hash: 64 hex digits'))
  .meta({ description: 'The SHA-256 hash that the bytes must have, in hex' })

/** How a request names the products of a file. */
export const productNameFields = {
  product_sku: productText
    .optional()
    .describe(
      'Always maps to the product with this SKU; several with `;` between them. A SKU that contains `;` is looked up whole first',
    ),
  product_skus: z
    .array(productText)
    .max(MAX_NAMED_PRODUCTS, sayFixed('At most {count} products', { count: MAX_NAMED_PRODUCTS }))
    .optional()
    .describe('Maps to all products with these SKUs; an unknown one is a warning'),
  product_handle: productText
    .optional()
    .describe('Maps to the product with this handle; several with `;` between them'),
  product_id: productText
    .optional()
    .describe(
      'Maps to the product with this id, or number of its id; several with `;` between them',
    )
    .meta({ example: 'gid://shopify/Product/1' }),
}
export const { expiry_days: expiryDays, download_limit: downloadLimit } = settingFields

/** A name that a merchant gives: shown in lists and history. */
export const givenName = z
  .string()
  .trim()
  .min(1, sayPlain('Give it a name'))
  .max(100, sayPlain('A name has at most 100 characters'))
  .refine(
    (name) => !UNSAFE_CHARACTERS.test(name),
    sayPlain('A name cannot contain control characters'),
  )

/** What happens to a new file whose name is taken. */
export const onConflict = z.enum(ON_CONFLICT)

export const timestamp = z.iso.datetime()

/** A text for people, which a client can show in its own language. */
export const textSchema: z.ZodType<Text> = z
  .object({
    message: z.string().meta({
      description: 'The English ICU message, which is also the key of its translations',
      example: '{done} of {total} files {what}',
    }),
    context: z.string().optional().describe('The translation’s key is then `message || context`'),
    values: z
      .record(z.string(), z.union([z.string(), z.number(), z.lazy(() => textSchema)]))
      .describe('The arguments of the message; some are texts themselves'),
  })
  .meta({ id: 'Text', description: 'An English message with its values, for other languages' })

export const messageText = textSchema
  .optional()
  .describe('Absent: the English text has no values, so it is its own message')

export const warning = z.object({
  code: z.string(),
  message: z.string(),
  message_text: messageText,
})

/** Why an item failed. */
export const itemError = z.object({
  code: z.string(),
  message: z.string(),
  detail: z.string().optional(),
  message_text: messageText,
  detail_text: messageText,
  retryable: z.boolean(),
})

const MAX_ROWS = 250
const rows = numeric(z.number().int().min(1).max(MAX_ROWS))
const limit = (usual: number) => rows.default(usual).describe('At most this many, up to 250')

export const page = {
  limit: limit(50),
  cursor: z.string().max(500).optional().describe('The previous page’s next_cursor'),
}

/** The page of lists that are usually short enough for one. */
export const shortPage = { ...page, limit: limit(MAX_ROWS) }

/** The page of lists that are read whole, because they are short. */
export const pageOfWhole = {
  limit: rows.optional().describe(`At most this many, up to ${MAX_ROWS}; absent: all of them`),
  cursor: page.cursor,
}

export const listOf = <T extends z.ZodType>(row: T) =>
  z.object({ data: z.array(row), next_cursor: z.string().nullable() })

/** A product of a file or a pack, as records show it. */
export const shownProduct = z.object({
  product_id: z.string(),
  product_title: z.string(),
  variant_id: z.string().nullable(),
  sku: z.string().nullable(),
})

export const errorSchema = z
  .object({
    error: z.object({
      type: z.string(),
      code: z.string(),
      message: z.string(),
      message_text: messageText,
      status: z.number().int(),
      param: z.string().nullable(),
      details: z
        .array(
          z.object({
            index: z.number().int().optional(),
            line: z.number().int().optional().describe('Of a body of lines, counted from 1'),
            param: z.string(),
            code: z.string(),
            message: z.string(),
            message_text: messageText,
          }),
        )
        .describe('Every problem, up to the first 100'),
      details_total: z.number().int().describe('How many problems there are'),
      request_id: z.string(),
      current: z
        .looseObject({})
        .optional()
        .describe('With `changed_meanwhile`: the record as it is now'),
    }),
  })
  .meta({ id: 'Error' })

/** An error of an address that is described without an endpoint. */
export const errorReply = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorSchema } },
})
export const ANY_OTHER_ERROR = errorReply('Any other error, such as 405 or 503')

/** The field beside a total that is counted up to a bound. */
export const totalIsExact = z
  .boolean()
  .describe('false: there are more than that; totals are counted up to 10,000')
