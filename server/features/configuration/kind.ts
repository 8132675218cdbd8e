// A kind of document: which records of the shop it is about, and how they are read and saved.
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { ownValue, say, textOf, verbatim, type Plugin } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import type { CallEndpoint } from '../../http/call-endpoint.ts'
import { changeText, valueText, type Difference } from '../workflows/difference.ts'
import { asDetail, schemaProblems, type WorkflowProblem } from '../workflows/problems.ts'
import { isFields, refusedDocument, type Comment, type FieldValues } from './document-text.ts'

/** What reading and saving documents needs: everything runs as the caller, in one transaction. */
export interface DocumentContext {
  scope: ShopScope
  call: CallEndpoint
  plugins: readonly Plugin[]
}

/** A record of the shop as the request that saves it. */
export interface StoredRecord {
  /** The public id; null: the shop has one of this kind. */
  id: string | null
  /** The name of its document; null: the shop has one. */
  name: string | null
  body: FieldValues
}

/** A record with its document. */
export interface StoredDocument {
  record: StoredRecord
  document: FieldValues
}

export interface DocumentKind {
  /** As `stevedore: schedule/1` writes it. */
  kind: string
  /** Where it is kept in a folder of files: a folder, or the one file. */
  place: string
  /** The shop has one of it. */
  single: boolean
  /** The endpoint that changes a record: forms lock its path. */
  edits: string
  read(context: DocumentContext): Promise<StoredRecord[]>
  /** The documents of these records, in their order. */
  documents(context: DocumentContext, records: readonly StoredRecord[]): Promise<FieldValues[]>
  comments?(record: StoredRecord): Comment[]
  /** Throws an `AppError` whose details name places of the document. */
  save(
    context: DocumentContext,
    document: FieldValues,
    before: StoredDocument | null,
  ): Promise<void>
  differences(
    before: StoredDocument | null,
    after: StoredDocument,
    plugins: readonly Plugin[],
  ): Difference[]
}

/** The rows of a list. */
export async function rowsOfList(call: CallEndpoint, address: string): Promise<FieldValues[]> {
  const page = await call(address)
  const rows = isFields(page) ? page.data : undefined
  return Array.isArray(rows) ? rows.filter(isFields) : []
}

export const recordOf = async (
  call: CallEndpoint,
  address: string,
  params: Readonly<Record<string, string>> = {},
): Promise<FieldValues> => {
  const record = await call(address, { params })
  return isFields(record) ? record : {}
}

/** The fields of a record that its request has. */
export const picked = (record: FieldValues, names: readonly string[]): FieldValues =>
  Object.fromEntries(names.map((name) => [name, ownValue(record, name) ?? null]))

/** The fields of a document that are its content. */
export const documentContent = ({ stevedore: _, ...content }: FieldValues): FieldValues => content

/** Throws the problems of a request, each at its place in the document. */
export function requireNone(
  problems: readonly WorkflowProblem[],
  placeOf: (param: string) => string = (param) => param,
): void {
  if (problems.length === 0) return
  throw refusedDocument(
    problems.map((problem) => asDetail({ ...problem, param: placeOf(problem.param) })),
  )
}

/** The problems of a request by its schema, with the places that the request has. */
export const bodyProblems = (schema: z.ZodType, body: unknown): WorkflowProblem[] =>
  schemaProblems(schema, body, '').map((problem) => ({
    ...problem,
    param: problem.param.replace(/^\./, ''),
  }))

/** Runs a save; what it refuses is told at the places of the document. */
export async function placed<T>(
  work: Promise<T>,
  placeOf: (param: string) => string = (param) => param,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const details = error.details.map((detail): ErrorDetail => {
      const { index, message, message_text, ...rest } = detail
      const param = index === undefined ? detail.param : `[${index}].${detail.param}`
      return { ...rest, param: placeOf(param), message: message_text ?? textOf(message) }
    })
    throw new AppError(error.code, { cause: error, message: error.text, details })
  }
}

/** What differs between two documents, field by field. */
export function fieldDifferences(before: FieldValues | null, after: FieldValues): Difference[] {
  const told: Difference[] = []
  const compare = (was: unknown, is: unknown, place: string): void => {
    if (isDeepStrictEqual(was ?? null, is ?? null)) return
    if (isFields(is) && (was === undefined || isFields(was))) {
      const names = Object.keys({ ...was, ...is })
      for (const name of names)
        compare(ownValue(was ?? {}, name), ownValue(is, name), place ? `${place}.${name}` : name)
      return
    }
    told.push({ param: place, message: changeText(verbatim(place), valueText(was), valueText(is)) })
  }
  compare(before ? documentContent(before) : {}, documentContent(after), '')
  return told.filter(({ param }) => param !== 'name')
}

/** What differs between two lists whose entries have a name of their own. */
export function entryDifferences(
  before: readonly FieldValues[],
  after: readonly FieldValues[],
  { list, key }: { list: string; key: string },
): Difference[] {
  const nameOf = (entry: FieldValues) => String(ownValue(entry, key))
  const find = (all: readonly FieldValues[], entry: FieldValues) =>
    all.find((one) => nameOf(one) === nameOf(entry))
  const changed = after.flatMap((entry, at): Difference[] => {
    const param = `${list}[${at}]`
    const old = find(before, entry)
    if (!old) return [{ param, message: say('Added: {entry}', { entry: valueText(entry) }) }]
    if (isDeepStrictEqual(old, entry)) return []
    return [
      { param, message: changeText(verbatim(nameOf(entry)), valueText(old), valueText(entry)) },
    ]
  })
  const removed = before.flatMap((entry) =>
    find(after, entry)
      ? []
      : [{ param: list, message: say('Removed: {entry}', { entry: valueText(entry) }) }],
  )
  const order = (all: readonly FieldValues[], others: readonly FieldValues[]) =>
    all.flatMap((entry) => (find(others, entry) ? [nameOf(entry)] : []))
  const [was, is] = [order(before, after), order(after, before)]
  const moved = isDeepStrictEqual(was, is)
    ? []
    : [{ param: list, message: changeText(verbatim('order'), valueText(was), valueText(is)) }]
  return [...changed, ...removed, ...moved]
}

/** A kind whose documents have the fields of its requests. */
export const plainKind = (
  kind: Omit<DocumentKind, 'documents' | 'differences'> &
    Partial<Pick<DocumentKind, 'documents' | 'differences'>>,
): DocumentKind => ({
  documents: (_, records) =>
    Promise.resolve(
      records.map(({ name, body }) => ({
        stevedore: `${kind.kind}/1`,
        ...(name === null ? {} : { name }),
        ...body,
      })),
    ),
  differences: (before, after) => fieldDifferences(before?.document ?? null, after.document),
  ...kind,
})
