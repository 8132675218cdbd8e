// What a program is sent about files, and the ids by which it recognises a repeated request.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { say, shownSettings, type Item } from '../../../plugins/contract/index.ts'
import { toPublicId } from '../../core/ids.ts'
import { defineEvent } from '../../core/outbox/webhook-events.ts'
import { shownProduct } from '../../http/schemas.ts'

/** The most files of one request. */
export const MAX_CALLED = 100
/** A request has fewer files if they would have more bytes than this, as JSON. */
const MAX_REQUEST_BYTES = 1024 * 1024

const calledFile = z.object({
  key: z.string().describe('Names the file in the answer; the same if the file is sent again'),
  id: z.string().nullable().describe('null: its import has not created it yet'),
  filename: z.string(),
  version: z.number().int().nullable(),
  size_bytes: z.number().int().nullable(),
  content_type: z.string().nullable(),
  tags: z.array(z.string()),
  products: z.array(shownProduct),
  pack_id: z.string().nullable().describe('The first of `pack_ids`'),
  pack_ids: z.array(z.string()).describe('In the order in which it entered them'),
  settings: z.record(z.string(), z.unknown()),
  created_at: z.string().nullable(),
  bytes_url: z
    .string()
    .optional()
    .describe('If the step asks for it: the contents, without a sign-in, for some days'),
})
export type CalledFile = z.input<typeof calledFile>

/** What a step `call` sends. Only the webhook that the step names gets it. */
export const CALL_EVENT = defineEvent({
  name: 'workflow.call',
  title: say('A workflow calls this address'),
  about: 'The files of a step “Call a program” that names this webhook',
  data: z.object({
    operation_id: z.string().nullable(),
    dry_run: z.boolean().describe('Only answer what you would do, and do nothing'),
    answer: z.boolean().describe('Whether the answer says what to change'),
    answer_to: z
      .string()
      .optional()
      .describe('After an answer of 202: where to post the answer within 24 hours'),
    files: z.array(calledFile),
  }),
})
export type CallData = z.input<typeof CALL_EVENT.data>

/** What is the same in all messages about one file. */
export interface CallContext {
  /** `op_…` or `import_…`; null: the files are only tried. */
  operation: string | null
  dryRun: boolean
  webhook: string
}

/** A file as it is sent. The same file in the same state has the same key within an operation. */
export function describeFile({ id: item, file }: Item, context: CallContext): CalledFile {
  const pack_ids = file.packs.map((id) => toPublicId('pack', id))
  const fields = {
    id: file.id === null ? null : toPublicId('file', file.id),
    filename: file.filename,
    version: file.version,
    size_bytes: file.size_bytes,
    content_type: file.content_type,
    tags: [...file.tags],
    products: file.mappings.map(({ product_id, product_title, variant_id, sku }) => ({
      product_id,
      product_title,
      variant_id,
      sku,
    })),
    pack_id: pack_ids[0] ?? null,
    pack_ids,
    settings: shownSettings(file),
    created_at: file.created_at,
  }
  const { operation, dryRun, webhook } = context
  return { key: hashOf([operation, dryRun, webhook, item, fields]), ...fields }
}

/** The file with the address of its bytes, if it has one. */
export const withAddress = (file: CalledFile, bytes_url: string | undefined): CalledFile =>
  bytes_url === undefined ? file : { ...file, bytes_url }

/** The id of a request about these files: `call_…`. */
export const callId = (files: readonly CalledFile[]): string =>
  `call_${hashOf(files.map(({ key }) => key))}`

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)

/** Divides files among requests. */
export function partsOfCall<File extends CalledFile>(files: readonly File[]): File[][] {
  const parts: File[][] = []
  let bytes = 0
  for (const file of files) {
    const size = Buffer.byteLength(JSON.stringify(file))
    const part = parts.at(-1)
    if (part && part.length < MAX_CALLED && bytes + size <= MAX_REQUEST_BYTES) {
      part.push(file)
      bytes += size
    } else {
      parts.push([file])
      bytes = size
    }
  }
  return parts
}
