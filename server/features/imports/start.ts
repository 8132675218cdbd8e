// Starts an import, for every channel: the shop's settings complete each file's draft, and the
// shop's attached workflow runs, or the built-in one.
import {
  ENTRY_SETTINGS,
  linkFilename,
  partsOfNames,
  type Entry,
  type EntrySettings,
  type Mapping,
  type ProductNames,
} from '../../../plugins/contract/index.ts'
import { mergedHeaders, type FetchHeaders } from '../../core/fetch-headers.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import type { GrowingEntry } from '../../engine/grow.ts'
import type { StartInput } from '../../engine/start.ts'
import type { OperationCause } from '../../engine/types.ts'
import { zip } from '../../core/lazy.ts'
import { cleanName, nameKey } from '../../files/rules.ts'
import { draftFrom, type DraftOptions } from '../../files/drafts.ts'
import { readShop } from '../../files/shop-settings.ts'
import { builtInWorkflow, type ImportChannel } from '../workflows/channel.ts'
import { attachedWorkflow } from '../workflows/find.ts'
import { sourceKeys, type ImportOrigin } from '../workflows/sources.ts'
import { apiChannel } from './api-channel.ts'

/** How a channel names the products of a file; a text may name several, with `;` between them. */
export interface NamedProducts {
  product_sku?: string | undefined
  product_skus?: string[] | undefined
  product_handle?: string | undefined
  product_id?: string | undefined
}

/** One file that a channel imports. Absent settings come from the shop. */
export interface ImportFile extends EntrySettings, NamedProducts {
  filename: string
  source: Entry['source']
  on_conflict: Entry['on_conflict']
  /** The products that it belongs to; others are then not looked for. */
  products?: readonly Mapping[] | undefined
  /** The text that is matched instead of the file's name. */
  match_as?: string | undefined
  /** The SHA-256 hash that its bytes must have, in hex. */
  sha256?: string | undefined
  /** The bare UUID of a file: the import becomes its next version. */
  replaces?: string | undefined
  /** Beginnings of the file's name that may be SKUs, longest first. */
  sku_prefixes?: readonly string[] | undefined
  tags?: readonly string[] | undefined
  /** Tags that an existing file loses (`Entry.tags_removed`). */
  tags_removed?: readonly string[] | undefined
  /** What the source states (`Entry.states`); absent: every field above that is present. */
  states?: readonly string[] | undefined
  /** The names of the file's packs, which are created if there are none of these names. */
  packs?: readonly string[] | undefined
  /** The names of packs that an existing file leaves (`Entry.packs_removed`). */
  packs_removed?: readonly string[] | undefined
}

export interface ImportRequest {
  files: readonly ImportFile[]
  /** Who started the import, for history: a person, or an API key's name. */
  requestedBy: string
  /** A second start with the same key returns the first one's operation. */
  idempotencyKey?: string | undefined
  /** Whether products are found automatically; absent: the shop's setting. */
  auto_map?: boolean | undefined
  /** No product gets the files, by a rule either. */
  private?: boolean | undefined
  notify?: boolean | undefined
  /** The address that receives a callback at the end of the import. */
  callback_url?: string | undefined
  /** The label in history; absent: the first file's name. */
  label?: string | undefined
  /** Whether more files will be added, until the operation is closed. */
  open?: boolean | undefined
  /** Whether the caller waits for each file: batches then have their own places in every worker. */
  prompt?: boolean | undefined
  /** How many batches run at the same time; absent: as the workflow says. */
  parallel?: number | undefined
  /** Whether the import is only a preview until it is confirmed. */
  dryRun?: boolean | undefined
  /** The bare UUID of the sync that starts this import. */
  sync?: string | undefined
  /** Where it comes from, within its channel. */
  from?: ImportOrigin | undefined
}

/**
 * Starts an import and returns the operation's UUID. Throws `workflow_broken` if the attached
 * workflow cannot run.
 */
export async function startImport(
  engine: Engine,
  scope: ShopScope,
  channel: ImportChannel,
  request: ImportRequest,
): Promise<string> {
  const { files, requestedBy, parallel, from, ...rest } = request
  const { auto_map, private: isPrivate, notify, sync, callback_url, ...options } = rest
  const sources = sourceKeys(channel.id, from ?? {})
  const attached = await attachedWorkflow(scope, sources, engine.plugins)
  const workflow = attached?.workflow ?? builtInWorkflow(channel.id, engine.workflows)
  if (!workflow) throw new Error(`The channel ${channel.id} has no workflow`)
  return engine.start(scope, {
    workflow: { ...workflow, ...present({ parallel }) },
    channel: channel.id,
    source: { type: 'entries', entries: await importEntries(scope, files) },
    request: present({ auto_map, private: isPrivate, notify, sync, callback_url }),
    requestedBy,
    ...(attached ? { cause: causeOf(attached) } : {}),
    ...present(options),
  } satisfies StartInput)
}

const causeOf = ({
  source,
  sourceName,
}: NonNullable<Awaited<ReturnType<typeof attachedWorkflow>>>): OperationCause => ({
  kind: 'imports',
  source,
  ...(sourceName === null ? {} : { name: sourceName }),
})

/** Converts files to the form that the engine takes, for an operation that grows. */
export async function importEntries(
  scope: ShopScope,
  files: readonly ImportFile[],
): Promise<Pick<GrowingEntry, 'entry' | 'draft'>[]> {
  const { settings } = await readShop(scope)
  return files.map(({ filename, source, on_conflict, products, ...file }) => {
    const { product_sku, product_skus, product_handle, product_id, ...unnamed } = file
    const product_names = productNames({ product_sku, product_skus, product_handle, product_id })
    const { sku_prefixes, replaces, match_as, states, sha256, ...stating } = unnamed
    const { tags_removed, packs_removed, ...own } = stating
    const tags = [...(own.tags ?? []), ...(tags_removed ?? [])]
    const stated = states ?? statedIn({ ...own, tags, products: products ?? product_names })
    return {
      entry: {
        filename: cleanName(filename),
        ...(cleanName(filename) === filename.normalize('NFC') ? {} : { name_cleaned: true }),
        source,
        on_conflict,
        ...present({ product_names, products }),
        ...present({ sku_prefixes, replaces, match_as, tags_removed, packs_removed }),
        ...present({ sha256: sha256?.toLowerCase() || undefined }),
        ...(stated.length > 0 ? { states: stated } : {}),
      },
      draft: draftFrom({ filename, ...present(own) } satisfies DraftOptions, settings),
    }
  })
}

/** The names of a file's products as an entry has them; undefined: none are named. */
export function productNames(named: NamedProducts): ProductNames | undefined {
  const skus = [named.product_sku ?? '', ...(named.product_skus ?? [])].filter((sku) => sku !== '')
  const handles = partsOfNames(named.product_handle ?? '')
  const ids = partsOfNames(named.product_id ?? '')
  const names = { skus: [...new Set(skus)], handles, ids }
  const given = Object.entries(names).filter(([, values]) => values.length > 0)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** The names of fields with a value. Without values, a text and a list of tags or products state nothing. */
export const statedIn = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0 && !STATED_EMPTY.has(name))
      ? []
      : [name],
  )

/** Lists that mean “none” if they are empty. */
const STATED_EMPTY: ReadonlySet<string> = new Set([...ENTRY_SETTINGS, 'packs'])

type PresentFields<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

const present = <T extends object>(values: T): PresentFields<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as PresentFields<T>

// Starts the import of entries that a storefront tool posted to the API.

/** A file that a storefront tool names. */
export interface ApiFile extends EntrySettings, NamedProducts {
  filename: string
  /** Where it is fetched; absent: it is a web link. */
  url?: string | undefined
  link_url?: string | undefined
  /** The name of its only pack; null: it is in none. */
  pack?: string | null | undefined
  packs?: readonly string[] | undefined
  headers?: FetchHeaders | undefined
  tags?: readonly string[] | undefined
  sha256?: string | undefined
  /** The bare UUID of a file: the entry becomes its next version. */
  replaces?: string | undefined
}

/** What a tool says about all its files. */
export interface ApiImport {
  /** Of the requests for all files. */
  headers?: FetchHeaders | undefined
  auto_map?: boolean | undefined
  notify?: boolean | undefined
  on_conflict: Entry['on_conflict']
  callback_url?: string | undefined
  /** Only a preview until it is confirmed. */
  dry_run?: boolean | undefined
}

/** Who started an import, and under which key. */
export type ApiCaller = Pick<ImportRequest, 'requestedBy' | 'idempotencyKey' | 'from'>

/** Returns the operation's UUID. Throws as `startImport` does. */
export function importFromApi(
  engine: Engine,
  scope: ShopScope,
  {
    files,
    headers,
    on_conflict,
    dry_run: dryRun,
    ...request
  }: ApiImport & ApiCaller & { files: readonly ApiFile[] },
): Promise<string> {
  return startImport(engine, scope, apiChannel, {
    ...request,
    dryRun,
    files: files.map((file) => fileOf(file, { headers, on_conflict })),
  })
}

const fileOf = (
  { url, link_url, headers, pack, ...file }: ApiFile,
  { headers: common, on_conflict }: Pick<ApiImport, 'headers' | 'on_conflict'>,
): ImportFile => ({
  ...file,
  ...(pack === undefined ? {} : { packs: pack === null ? [] : [pack] }),
  ...(link_url === undefined
    ? { source: { type: 'url', url: url ?? '', headers: mergedHeaders(common, headers) } }
    : linkFile(file.filename, link_url)),
  on_conflict,
})

/** The name and the source of a link. */
export const linkFile = (filename: string, url: string) =>
  ({ filename: linkFilename(filename), source: { type: 'link', url } }) as const

/**
 * Starts one import of all batches, of which one is in memory at a time. Returns the operation's
 * UUID. Throws as `startImport` does.
 */
export function importLinesFromApi(
  engine: Engine,
  scope: ShopScope,
  { headers, on_conflict, dry_run: dryRun, ...given }: ApiImport & ApiCaller,
  batches: AsyncIterable<readonly ApiFile[]>,
): Promise<string> {
  return scope.transaction(async (tx) => {
    const request = { ...given, dryRun }
    /** The position of the newest item of each name. */
    const newest = new Map<string, number>()
    let count = 0
    let id = ''
    for await (const batch of batches) {
      const files = batch.map((file) => fileOf(file, { headers, on_conflict }))
      const keys = files.map(({ filename }) => nameKey(cleanName(filename)))
      if (count === 0)
        id = await startImport(engine, tx, apiChannel, { ...request, files, open: true })
      else {
        const after = keys.map((key) => newest.get(key) ?? null)
        const entries = await importEntries(tx, files)
        const growing = zip(entries, after).map(([entry, before]) => ({ ...entry, after: before }))
        // An earlier request with this key has started the whole import.
        if ((await engine.add(tx, id, growing)) === null) break
      }
      for (const key of keys) newest.set(key, count++)
    }
    await engine.close(tx, id)
    return id
  })
}
