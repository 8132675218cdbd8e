// Recognises exports of other apps by their columns. docs/merchants/move.md says where the columns of
// each were read.
import { suggestColumns } from '../csv/columns.ts'
import { exportShape, type ExportShape } from '../csv/exports.ts'
import { normalizeHeader } from '../csv/headers.ts'
import { paidOf, type PaidRule, type ProductColumns } from './order-cells.ts'

export const SOURCE_APPS = ['woocommerce', 'edd', 'sendowl', 'shopify', 'other'] as const
export type SourceApp = (typeof SOURCE_APPS)[number]

/** The table of an app: its products, who may download, its orders, its sales, or any list. */
export const SOURCE_TABLES = ['products', 'permissions', 'orders', 'sales', 'list'] as const
export type SourceTable = (typeof SOURCE_TABLES)[number]

/** What a column is read as. */
export const MOVE_FIELDS = [
  'file_url',
  'filename',
  'product_sku',
  'product_title',
  'product_handle',
  'product_id',
  'download_id',
  'tags',
  'download_limit',
  'expiry_days',
  'email',
  'downloads_left',
  'expires_at',
  'ordered_at',
  'status',
  'order',
] as const
export type MoveField = (typeof MOVE_FIELDS)[number]

interface RecognisedTable {
  app: SourceApp
  table: SourceTable
  /** The index of each column that is read. A column may be read as two things. */
  fields: readonly { field: MoveField; at: number }[]
}

/** Where a row says which files a product has. Places are -1 for none. */
export interface FilesPreset extends RecognisedTable {
  kind: 'files'
  shape: ExportShape
  product: ProductColumns
}

/** Where a row says who may download what. */
export interface BuyersPreset extends RecognisedTable {
  kind: 'buyers'
  email: number
  download: number
  product: ProductColumns
  /** Rows of one order repeat its number and leave its other cells empty. */
  order: number
  paid: PaidRule | null
  downloadsLeft: number
  expires: number
  ordered: number
}

export type Preset = FilesPreset | BuyersPreset

/** Null: the table has neither addresses of files nor buyers. */
export function recognise(
  headers: readonly string[],
  sample: readonly (readonly string[])[],
): Preset | null {
  const names = headers.map(normalizeHeader)
  const at = (...words: string[]) =>
    words.map((word) => names.indexOf(word)).find((place) => place >= 0) ?? -1
  return knownBuyers(at) ?? files(headers, sample, at) ?? anyBuyers(at)
}

type Find = (...words: string[]) => number

const NO_PRODUCT: ProductColumns = { id: -1, sku: -1, title: -1, handle: -1, form: 'plain' }

/** Tables of buyers whose columns are known exactly. */
const knownBuyers = (at: Find): BuyersPreset | null =>
  woocommerce(at) ?? easyDigitalDownloads(at) ?? shopify(at) ?? sendowl(at)

const BUYERS = { kind: 'buyers' as const, download: -1, downloadsLeft: -1, expires: -1 }

const woocommerce = (at: Find): BuyersPreset | null =>
  at('useremail') >= 0 && at('productid') >= 0 && at('downloadsremaining') >= 0
    ? withFields({
        ...BUYERS,
        app: 'woocommerce',
        table: 'permissions',
        email: at('useremail'),
        product: { ...NO_PRODUCT, id: at('productid') },
        download: at('downloadid'),
        downloadsLeft: at('downloadsremaining'),
        expires: at('accessexpires'),
        ordered: at('accessgranted'),
        order: at('orderid'),
        paid: null,
      })
    : null

function easyDigitalDownloads(at: Find): BuyersPreset | null {
  if (at('email') < 0) return null
  const common = {
    ...BUYERS,
    app: 'edd' as const,
    email: at('email'),
    order: at('orderid'),
    ordered: at('date'),
  }
  if (at('productsraw') >= 0)
    return withFields({
      ...common,
      table: 'orders',
      product: { ...NO_PRODUCT, sku: at('skus'), title: at('productsraw'), form: 'edd' },
      paid: paidOf(at('status'), ['complete', 'publish', 'partially_refunded', 'edd_subscription']),
    })
  if (at('priceid') >= 0 && at('productid') >= 0)
    return withFields({
      ...common,
      table: 'sales',
      product: { ...NO_PRODUCT, id: at('productid'), title: at('download', 'product') },
      paid: null,
    })
  return null
}

const shopify = (at: Find): BuyersPreset | null =>
  at('lineitemname') >= 0 && at('email') >= 0 && at('name') >= 0
    ? withFields({
        ...BUYERS,
        app: 'shopify',
        table: 'orders',
        email: at('email'),
        product: { ...NO_PRODUCT, sku: at('lineitemsku'), title: at('lineitemname'), form: 'line' },
        order: at('name'),
        ordered: at('createdat', 'paidat'),
        paid: paidOf(at('financialstatus'), ['paid', 'partially_refunded']),
      })
    : null

const sendowl = (at: Find): BuyersPreset | null =>
  at('buyeremail') >= 0 && productTitle(at) >= 0
    ? withFields({
        ...BUYERS,
        app: 'sendowl',
        table: 'orders',
        email: at('buyeremail'),
        product: { ...NO_PRODUCT, id: at('productid'), sku: at('sku'), title: productTitle(at) },
        order: at('orderid', 'ordernumber', 'id'),
        ordered: orderDate(at),
        expires: at('validuntil', 'accessexpires'),
        paid: paidOf(at('state', 'status', 'orderstatus'), ['complete', 'free', 'imported']),
      })
    : null

const productTitle = (at: Find) =>
  at('producttitle', 'productname', 'products', 'product', 'itemname', 'items', 'item', 'ordername')

const anyTitle = (at: Find) =>
  productTitle(at) < 0
    ? at('title', 'name', 'produkt', 'produit', 'producto', 'produto')
    : productTitle(at)

const orderDate = (at: Find) =>
  at('orderdate', 'orderedat', 'createdat', 'purchasedate', 'purchasedat', 'date')

/** Any table with addresses of people and products. */
function anyBuyers(at: Find): BuyersPreset | null {
  const email = at(
    'email',
    'customeremail',
    'buyeremail',
    'emailaddress',
    'useremail',
    'mail',
    'emailadresse',
    'adresseemail',
    'correoelectronico',
    'correo',
    'メールアドレス',
  )
  const product = {
    ...NO_PRODUCT,
    id: at('productid'),
    sku: at('sku', 'productsku', 'variantsku', 'artikelnummer'),
    title: anyTitle(at),
    handle: at('handle', 'producthandle', 'urlhandle'),
  }
  const { id, sku, title, handle } = product
  if (email < 0 || Math.max(id, sku, title, handle) < 0) return null
  return withFields({
    kind: 'buyers',
    app: 'other',
    table: 'list',
    email,
    product,
    download: -1,
    downloadsLeft: at('downloadsleft', 'downloadsremaining', 'remainingdownloads', 'remaining'),
    expires: at('expires', 'expiresat', 'expirydate', 'validuntil', 'accessexpires', 'gueltigbis'),
    order: at('order', 'orderid', 'ordernumber', 'ordername'),
    ordered: orderDate(at),
    paid: paidOf(at('financialstatus', 'status', 'state'), [
      'paid',
      'complete',
      'completed',
      'partially_refunded',
      'fulfilled',
      'active',
      'free',
    ]),
  })
}

function withFields(preset: Omit<BuyersPreset, 'fields'>): BuyersPreset {
  const { product, paid } = preset
  return {
    ...preset,
    fields: given([
      ['email', preset.email],
      ...productFields(product),
      ['download_id', preset.download],
      ['downloads_left', preset.downloadsLeft],
      ['expires_at', preset.expires],
      ['ordered_at', preset.ordered],
      ['order', preset.order],
      ['status', paid?.at ?? -1],
    ]),
  }
}

const productFields = ({ id, sku, title, handle }: ProductColumns): [MoveField, number][] => [
  ['product_id', id],
  ['product_sku', sku],
  ['product_title', title],
  ['product_handle', handle],
]

const given = (all: readonly (readonly [MoveField, number])[]) =>
  all.flatMap(([field, at]) => (at < 0 ? [] : [{ field, at }]))

function files(
  headers: readonly string[],
  sample: readonly (readonly string[])[],
  at: Find,
): FilesPreset | null {
  const shape = exportShape(headers, sample) ?? listShape(headers, sample, at)
  if (!shape) return null
  const app = shape.id === 'woocommerce' || shape.id === 'edd' ? shape.id : listApp(at)
  const product: ProductColumns = {
    id: at(...(shape.id === 'several_files' ? ['productid'] : ['id'])),
    sku: shape.sku,
    title: shape.title,
    handle: at('slug', 'handle', 'producthandle', 'urlhandle'),
    form: 'plain',
  }
  return {
    kind: 'files',
    app,
    table: app === 'other' ? 'list' : 'products',
    shape,
    product,
    fields: given([
      ...shape.files.flatMap(({ url, name, id = -1 }): [MoveField, number][] => [
        ['file_url', url],
        ['filename', name],
        ['download_id', id],
      ]),
      ...productFields(product),
      ['tags', shape.tags],
      ['download_limit', shape.download_limit],
      ['expiry_days', shape.expiry_days],
    ]),
  }
}

/** Addresses that SendOwl's products have: none of them is of a file. */
const listApp = (at: Find): SourceApp =>
  at('selfhostedurl', 'instantbuyurl', 'addtocarturl') >= 0 ? 'sendowl' : 'other'

/** A list with one row for each file. */
function listShape(
  headers: readonly string[],
  sample: readonly (readonly string[])[],
  at: Find,
): ExportShape | null {
  const suggested = suggestColumns(headers, sample)
  const column = (field: keyof typeof suggested) => headers.indexOf(suggested[field]?.header ?? '')
  const url = at('selfhostedurl') < 0 ? column('file_url') : at('selfhostedurl')
  if (url < 0) return null
  return {
    id: 'several_files',
    files: [{ url, name: column('filename') }],
    sku: column('product_sku'),
    title: anyTitle(at),
    tags: column('tags'),
    download_limit: column('download_limit'),
    expiry_days: column('expiry_days'),
    none: new Set(['-1', '0']),
  }
}
