// Edits of one record by two people: the ETag of a record that a form edits has a part for each
// field that can be edited. With that ETag in `If-Match`, a change of a field that somebody else
// has changed meanwhile is refused, and the current record is in the answer.
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { say, ownValue } from '../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { firstOf } from '../core/lazy.ts'
import type { Endpoint, Reply } from './endpoint.ts'

/** The characters of the ETag for one field: 36 bits. */
const FIELD_LENGTH = 6
const ABOVE_FIELDS = '.'

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url')

export interface EditedRecord {
  /** The fields that can be edited. */
  fields: readonly string[]
  /** The endpoint that reads the record. */
  reader: Endpoint
  /** The parts of the record that the body's fields replace. */
  valuesOf: (record: JsonRecord) => (field: string) => unknown
}

/** The records with a GET, and a PUT or PATCH of their fields, by path. */
export function editedRecords(endpoints: readonly Endpoint[]): ReadonlyMap<string, EditedRecord> {
  const readers = new Map(
    endpoints.filter(({ method }) => method === 'get').map((reader) => [reader.path, reader]),
  )
  const edits = endpoints.filter(({ method }) => method === 'put' || method === 'patch')
  return new Map(
    edits.flatMap(({ path, body, edits: partsOf }) => {
      const reader = readers.get(path)
      const valuesOf: EditedRecord['valuesOf'] = (record) => {
        const partOf = partsOf?.(record)
        return (field) =>
          Object.hasOwn(record, field) || !partOf ? ownValue(record, field) : partOf(field)
      }
      return reader ? [[path, { fields: fieldsOf(body), reader, valuesOf }]] : []
    }),
  )
}

function fieldsOf(schema: z.ZodType | undefined): string[] {
  const shape = schema && 'shape' in schema ? (schema.shape as object) : {}
  return Object.keys(shape).toSorted()
}

export type JsonRecord = Readonly<Record<string, unknown>>

/** The ETag of a record. It is weak, because the same answer is sent with several encodings. */
export function etagOf(
  json: string,
  body: unknown,
  edited: Pick<EditedRecord, 'fields' | 'valuesOf'> | undefined,
): string {
  const whole = createHash('sha256').update(json).digest('base64url')
  if (!edited) return `W/"${whole}"`
  // Several fields may be one part of the record.
  const hashes = new Map<unknown, string>()
  const valueOf = edited.valuesOf(body as JsonRecord)
  const parts = edited.fields.map((field) => {
    const value = valueOf(field)
    const hash = hashes.get(value) ?? hashOf(value).slice(0, FIELD_LENGTH)
    hashes.set(value, hash)
    return hash
  })
  return `W/"${whole}${ABOVE_FIELDS}${parts.join('')}"`
}

/**
 * The parts of the fields in an `If-Match`; null: it is not an ETag of these fields. Proxies that
 * compress answers mark ETags as weak, so weak ones count too.
 */
function partsIn(header: string, fields: readonly string[]): string[] | null {
  const [, text = ''] = /^(?:W\/)?"[\w-]+\.([\w-]+)"$/.exec(header.trim()) ?? []
  if (text.length !== fields.length * FIELD_LENGTH) return null
  return fields.map((_, at) => text.slice(at * FIELD_LENGTH, (at + 1) * FIELD_LENGTH))
}

interface Edit {
  /** The path of the request, with its ids. */
  path: string
  /** The request's `If-Match`. */
  known: string
  edited: Pick<EditedRecord, 'fields' | 'valuesOf'>
  /** The validated body. */
  body: JsonRecord
  read: (scope: ShopScope) => Promise<Reply | null>
  /** May the caller read the record? */
  mayRead: boolean
}

/**
 * Runs `write` in a transaction in which no other edit of the record runs. Throws
 * `changed_meanwhile` if the body would replace a value that the caller has not seen.
 */
export function editUnchanged(
  scope: ShopScope,
  edit: Edit,
  write: (tx: ShopScope) => Promise<Reply | null>,
): Promise<Reply | null> {
  return scope.transaction(async (tx) => {
    // An advisory lock by path: this module does not know the tables of the records.
    await lockUntilCommit(tx, `edit ${edit.path}`)
    const current = (await edit.read(tx))?.body as JsonRecord
    const changed = changedFields(edit, current)
    if (changed.length > 0) throw changedMeanwhile(changed, edit.mayRead ? current : null)
    return write(tx)
  })
}

/** Fields that the body would change back: changed since `known`, and not to the body's value. */
function changedFields({ known, edited, body }: Edit, current: JsonRecord): string[] {
  const { fields, valuesOf } = edited
  const before = partsIn(known, fields)
  const valueOf = valuesOf(current)
  return fields.filter((field, at) => {
    if (ownValue(body, field) === undefined) return false
    const now = hashOf(valueOf(field))
    return hashOf(ownValue(body, field)) !== now && before?.[at] !== now.slice(0, FIELD_LENGTH)
  })
}

const changedMeanwhile = (fields: readonly string[], current: JsonRecord | null) =>
  new AppError('changed_meanwhile', {
    ...(current ? { current } : {}),
    param: firstOf(fields),
    details: fields.map((param) => ({
      param,
      code: 'changed_meanwhile',
      message: say('It was changed since you read it'),
    })),
  })
