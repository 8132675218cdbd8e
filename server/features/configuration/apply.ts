// Saves documents: each is compared with the shop, in one transaction with its save. A dry run saves in
// a transaction that is rolled back, so that it meets every check, and documents that name each other
// are found.
import { isDeepStrictEqual } from 'node:util'
import { say, textOf, type Plugin } from '../../../plugins/contract/index.ts'
import { lockUntilCommit, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import type { CallEndpoint } from '../../http/call-endpoint.ts'
import type { Difference } from '../workflows/difference.ts'
import {
  matchesTag,
  readDocument,
  refusedDocument,
  tagOfDocument,
  type ReadDocument,
} from './document-text.ts'
import type { DocumentContext, DocumentKind, StoredDocument, StoredRecord } from './kind.ts'
import { KINDS } from './kinds.ts'

export interface ApplyParts {
  scope: ShopScope
  plugins: readonly Plugin[]
  /** Calls endpoints as the caller, in this transaction. */
  callIn: (tx: ShopScope) => CallEndpoint
}

export interface GivenDocument {
  /** The name of its file, for the answer. */
  file: string
  text: string
  /** The tag of the document that it replaces; null: there is none. Undefined: any. */
  known: string | null | undefined
  /** The name of the record, if it is another one than that in the document: it is renamed. */
  named?: string
  /** The only kind that it may be. */
  only?: string
}

export type DocumentStatus = 'created' | 'changed' | 'unchanged' | 'refused'

export interface AppliedDocument {
  file: string
  kind: string | null
  name: string | null
  /** The public id of its record; null: it has none. */
  id: string | null
  status: DocumentStatus
  /** Before it; null: there was none. */
  tagBefore: string | null
  /** After it. */
  tag: string | null
  differences: readonly Difference[]
  error: AppError | null
}

/** A document whose kind and name are known. */
interface Identified extends GivenDocument {
  read: ReadDocument
  kind: DocumentKind
  name: string | null
}

const KIND_OF: ReadonlyMap<string, DocumentKind> = new Map(
  KINDS.map((kind) => [`${kind.kind}/1`, kind]),
)

/** Reads which record a document is about. Throws `validation_failed`. */
function identified(given: GivenDocument): Identified {
  const read = readDocument(given.text)
  const { stevedore, name } = read.value
  const wrong = (param: string, message: ErrorDetail['message']) =>
    refusedDocument([{ line: read.lineOf(param), param, code: 'invalid_value', message }])
  const kind = KIND_OF.get(String(stevedore))
  if (!kind || (given.only !== undefined && given.only !== kind.kind)) {
    const all = [...KIND_OF.keys()]
    const list = all
      .filter((one) => given.only === undefined || one === `${given.only}/1`)
      .join(', ')
    throw wrong('stevedore', say('Say what it is: “stevedore:” is one of {list}', { list }))
  }
  if (kind.single) return { ...given, read, kind, name: null }
  const own = given.named ?? name
  if (typeof own !== 'string' || own.trim() === '') throw wrong('name', say('Give it a name'))
  if (name === undefined) read.value = { ...read.value, name: own }
  return { ...given, read, kind, name: own.trim() }
}

const tagOf = (stored: StoredDocument | null) => stored && tagOfDocument(stored.document)

/** The records of a kind, each with its document. */
export async function storedDocuments(
  context: DocumentContext,
  kind: DocumentKind,
  fits: (record: StoredRecord) => boolean = () => true,
): Promise<StoredDocument[]> {
  const records = (await kind.read(context)).filter(fits)
  const documents = await kind.documents(context, records)
  return records.flatMap((record, at) => {
    const document = documents[at]
    return document ? [{ record, document }] : []
  })
}

/** Ends the transaction of what is not to be kept. */
class NotKept<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('not kept')
    this.result = result
  }
}

/** Runs `work` in a transaction, which is rolled back unless its result is kept. */
async function keptIf<T>(
  scope: ShopScope,
  work: (tx: ShopScope) => Promise<T>,
  isKept: (result: T) => boolean,
): Promise<T> {
  try {
    return await scope.transaction(async (tx) => {
      const result = await work(tx)
      if (!isKept(result)) throw new NotKept(result)
      return result
    })
  } catch (error) {
    if (error instanceof NotKept) return error.result as T
    throw error
  }
}

/** Saves one document, unless it changes nothing. Throws `changed_meanwhile`, and why it is refused. */
async function applyOne(parts: ApplyParts, given: Identified): Promise<AppliedDocument> {
  const { kind, name, file, known, read } = given
  return keptIf(
    parts.scope,
    async (tx) => {
      const context = { scope: tx, plugins: parts.plugins, call: parts.callIn(tx) }
      const find = async (wanted: string | null) =>
        (await storedDocuments(context, kind, (record) => record.name === wanted))[0] ?? null
      const id = (await find(name))?.record.id
      // An advisory lock: the one of forms that change the record (http/edits.ts), which need not exist.
      await lockUntilCommit(tx, `edit ${kind.edits.replace('{id}', id ?? '')}`)
      const before = await find(name)
      const tagBefore = tagOf(before)
      const about = { file, kind: kind.kind, tagBefore, error: null }
      if (before && isDeepStrictEqual(before.document, read.value))
        return {
          ...about,
          ...idOf(before),
          status: 'unchanged' as const,
          tag: tagBefore,
          differences: [],
        }
      requireKnown(known, tagBefore)
      await kind.save(context, read.value, before)
      const { name: savedName } = read.value
      const after = await find(kind.single ? null : String(savedName).trim())
      if (!after) throw new Error(`A saved document was not found: ${kind.kind}`)
      const isSame = before !== null && isDeepStrictEqual(before.document, after.document)
      const status = before === null ? 'created' : isSame ? 'unchanged' : 'changed'
      const differences = isSame ? [] : kind.differences(before, after, parts.plugins)
      return { ...about, ...idOf(after), status, tag: tagOf(after), differences } as const
    },
    ({ status }) => status !== 'unchanged',
  )
}

const idOf = ({ record: { id, name } }: StoredDocument) => ({ id, name })

/** Throws `changed_meanwhile`. */
function requireKnown(known: string | null | undefined, tag: string | null): void {
  if (known === undefined) return
  const isKnown = tag === null ? known === null : known !== null && matchesTag(known, tag)
  if (!isKnown) throw new AppError('changed_meanwhile')
}

/** As `applyOne`; problems get their lines. */
async function applyPlaced(parts: ApplyParts, given: Identified): Promise<AppliedDocument> {
  try {
    return await applyOne(parts, given)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return refusal(given, withLines(error, given.read))
  }
}

function refusal(given: GivenDocument & Partial<Identified>, error: AppError): AppliedDocument {
  const { file, kind, name = null } = given
  return {
    file,
    kind: kind?.kind ?? null,
    name,
    id: null,
    status: 'refused',
    tagBefore: null,
    tag: null,
    differences: [],
    error,
  }
}

function withLines(error: AppError, { lineOf }: ReadDocument): AppError {
  const details = error.details.map(({ message, message_text, ...detail }): ErrorDetail => ({
    ...detail,
    line: lineOf(detail.param),
    message: message_text ?? textOf(message),
  }))
  return new AppError(error.code, {
    cause: error,
    message: error.text,
    details,
    detailsTotal: error.detailsTotal,
  })
}

/** Saves one document. Throws why it is refused. */
export async function applyDocument(
  parts: ApplyParts,
  given: GivenDocument,
  isDryRun: boolean,
): Promise<AppliedDocument> {
  const document = identified(given)
  const result = await keptIf(
    parts.scope,
    (tx) => applyPlaced({ ...parts, scope: tx }, document),
    () => !isDryRun,
  )
  if (result.error) throw result.error
  return result
}

/** Saves each document in a separate transaction; in a dry run all in one that is rolled back. */
export async function applyDocuments(
  parts: ApplyParts,
  given: readonly GivenDocument[],
  isDryRun: boolean,
): Promise<AppliedDocument[]> {
  if (!isDryRun) return applyInTurn(parts, given)
  return keptIf(
    parts.scope,
    (tx) => applyInTurn({ ...parts, scope: tx }, given),
    () => false,
  )
}

async function applyInTurn(
  parts: ApplyParts,
  given: readonly GivenDocument[],
): Promise<AppliedDocument[]> {
  const results = new Map<GivenDocument, AppliedDocument>()
  let waiting = identifiedOnce(given, results)
  // A document may name one that is saved after it.
  for (let before = Infinity; waiting.length < before;) {
    before = waiting.length
    const refused: typeof waiting = []
    for (const document of waiting) {
      const result = await applyPlaced(parts, document)
      results.set(document.given, result)
      const isMissing = result.error?.details.some(({ code }) => code === 'not_found')
      if (isMissing) refused.push(document)
    }
    waiting = refused
  }
  return given.flatMap((one) => results.get(one) ?? [])
}

/** The documents that can be saved, in the order of their kinds; the others are refused. */
function identifiedOnce(
  given: readonly GivenDocument[],
  results: Map<GivenDocument, AppliedDocument>,
): (Identified & { given: GivenDocument })[] {
  const files = new Map<string, string>()
  const all = given.flatMap((one) => {
    try {
      const document = identified(one)
      const key = `${document.kind.kind} ${document.name}`
      const other = files.get(key)
      files.set(key, one.file)
      if (other === undefined) return [{ ...document, given: one }]
      const message = say('{file} is about the same', { file: other })
      const details = [{ param: 'name', code: 'invalid_value', message } as const]
      results.set(one, refusal(document, new AppError('validation_failed', { details })))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      results.set(one, refusal(one, error))
    }
    return []
  })
  return all.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
}
