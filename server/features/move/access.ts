// Which links past buyers of another app get: for the files that moves imported, or else for the files
// of the product that the export names, with what remains of their terms.
import { MAX_DOWNLOAD_LIMIT, sayPlain } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { inSlices } from '../../core/turn.ts'
import type { ExportedAccess } from './buyer-rows.ts'
import type { RowFinding } from './findings.ts'
import type { MoveCounts } from './moves.ts'
import type { NamedProduct } from './order-cells.ts'
import { productFinder, refsOf } from './products.ts'

/** A term: a number or a moment; null: none; `own`: the file's own setting. */
type Term<T> = T | null | 'own'

export interface BuyerAccess {
  file_id: string
  email: string
  limit: Term<number>
  expires: Term<Date>
}

const DAY_MS = 24 * 60 * 60 * 1000
const NO_FILE = sayPlain('The product has no file here: import its files first')
const ENDED = sayPlain('The access has expired, or has no downloads left')
const PRESENT = sayPlain('The buyer has a link to the file already')

interface ProductFile {
  file_id: string
  /** The days that links were valid in the other app; null: unknown. */
  days: number | null
}

export interface ResolvedAccess {
  links: BuyerAccess[]
  counts: NonNullable<MoveCounts['buyers']>
  findings: RowFinding[]
}

/** Reads only. */
export async function resolveAccess(
  scope: ShopScope,
  app: string,
  rows: readonly ExportedAccess[],
  now: Date,
): Promise<ResolvedAccess> {
  const filesOf = await fileFinder(scope, app, rows)
  const findings: RowFinding[] = []
  const counts = { without_file: 0, ended: 0, present: 0 }
  const wanted = new Map<string, BuyerAccess & { row: number }>()
  await inSlices(rows, (row) => {
    const warn = (what: keyof typeof counts, message: string) => {
      counts[what]++
      findings.push({ row: row.row, severity: 'warning', message })
    }
    const files = filesOf(row)
    if (files.length === 0) warn('without_file', NO_FILE)
    for (const { file_id, days } of files) {
      const access = { file_id, email: row.email, ...termsOf(row, days) }
      if (hasEnded(access, now)) warn('ended', ENDED)
      else {
        const key = keyOf(access)
        const other = wanted.get(key)
        wanted.set(key, { ...(other ? better(other, access) : access), row: row.row })
      }
    }
  })
  const present = await presentLinks(scope, [...wanted.values()])
  const links = [...wanted.values()].filter((access) => !present.has(keyOf(access)))
  for (const { row } of [...wanted.values()].filter((access) => present.has(keyOf(access))))
    findings.push({ row, severity: 'warning', message: PRESENT })
  return {
    links,
    findings,
    counts: {
      ...counts,
      total: new Set(rows.map(({ email }) => email.toLowerCase())).size,
      links: links.length,
      files: new Set(links.map(({ file_id }) => file_id)).size,
      present: wanted.size - links.length,
    },
  }
}

const keyOf = ({ file_id, email }: Pick<BuyerAccess, 'file_id' | 'email'>) =>
  `${file_id} ${email.toLowerCase()}`

function termsOf(
  { left, expires, ordered }: ExportedAccess,
  days: number | null,
): Pick<BuyerAccess, 'limit' | 'expires'> {
  const limit = left === undefined ? 'own' : left && Math.min(left, MAX_DOWNLOAD_LIMIT)
  if (expires !== undefined) return { limit, expires: expires === null ? null : new Date(expires) }
  if (ordered === undefined || days === null) return { limit, expires: 'own' }
  return { limit, expires: new Date(Date.parse(ordered) + days * DAY_MS) }
}

const hasEnded = ({ limit, expires }: Pick<BuyerAccess, 'limit' | 'expires'>, now: Date): boolean =>
  limit === 0 || (expires instanceof Date && expires <= now)

/** Someone who bought a file twice gets one link, with the better terms. */
const better = <A extends BuyerAccess>(one: A, other: BuyerAccess): A => ({
  ...one,
  limit: betterTerm(one.limit, other.limit),
  expires: betterTerm(one.expires, other.expires),
})

function betterTerm<T extends number | Date>(one: Term<T>, other: Term<T>): Term<T> {
  if (one === null || other === null) return null
  if (one === 'own' || other === 'own') return 'own'
  return one > other ? one : other
}

/** Finds the files of a row's download or product. */
async function fileFinder(scope: ShopScope, app: string, rows: readonly ExportedAccess[]) {
  const refsOfRow = (row: ExportedAccess) => refsOf(app, row.product, row.download)
  const moved = await movedByRef(scope, [...new Set(rows.flatMap(refsOfRow))])
  const find = await productFinder(
    scope,
    app,
    rows.map(({ product }) => product),
  )
  const mapped = await mappedFiles(
    scope,
    rows.flatMap(({ product }) => find(product)?.mapping.product_id ?? []),
  )
  const ofShop = (product: NamedProduct): ProductFile[] => {
    const found = find(product)?.mapping
    if (!found) return []
    return (mapped.get(found.product_id) ?? [])
      .filter(
        ({ variant_id }) =>
          found.variant_id === null || variant_id === '' || variant_id === found.variant_id,
      )
      .map(({ file_id }) => ({ file_id, days: null }))
  }
  return (row: ExportedAccess): readonly ProductFile[] =>
    refsOfRow(row)
      .map((ref) => moved.get(ref) ?? [])
      .find((files) => files.length > 0) ?? ofShop(row.product)
}

async function movedByRef(
  scope: ShopScope,
  refs: readonly string[],
): Promise<ReadonlyMap<string, readonly ProductFile[]>> {
  // Meant as a hash join: one index search for each of many thousands of refs took minutes.
  const found = await scope.query<ProductFile & { ref: string }>(
    `with wanted as materialized (select ref from unnest(:refs::text[]) as w(ref))
     select distinct r.ref, m.file_id, m.expiry_days as days
     from moved_files m cross join lateral unnest(m.refs) as r(ref)
     join wanted w on w.ref = r.ref
     join files f on f.shop_id = m.shop_id and f.id = m.file_id and f.deleted_at is null
     where m.shop_id = :shop`,
    { refs },
  )
  return Map.groupBy(found, ({ ref }) => ref)
}

interface MappedFile {
  file_id: string
  product_id: string
  variant_id: string
}

async function mappedFiles(scope: ShopScope, products: readonly string[]) {
  const rows = await scope.query<MappedFile>(
    `select m.file_id, m.product_id, m.variant_id from mappings m
     join files f on f.shop_id = m.shop_id and f.id = m.file_id and f.deleted_at is null
     where m.shop_id = :shop and m.product_id = any(:products::text[])`,
    { products: [...new Set(products)] },
  )
  return Map.groupBy(rows, ({ product_id }) => product_id)
}

/** Of these, the keys of those whose buyer has a link to the file that was not revoked. */
async function presentLinks(
  scope: ShopScope,
  wanted: readonly BuyerAccess[],
): Promise<ReadonlySet<string>> {
  const rows = await scope.query<Pick<BuyerAccess, 'file_id' | 'email'>>(
    `select l.file_id, l.email from links l
     where l.shop_id = :shop and l.file_id = any(:files::uuid[])
       and lower(l.email) = any(:emails::text[]) and l.revoked_at is null`,
    {
      files: [...new Set(wanted.map(({ file_id }) => file_id))],
      emails: [...new Set(wanted.map(({ email }) => email.toLowerCase()))],
    },
  )
  return new Set(rows.map(keyOf))
}
