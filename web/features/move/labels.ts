// Texts about exports of other apps: the apps, how to get their exports, and what was read.
import { type Operation } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { type Move, type MoveField } from './calls.ts'

/** An app that merchants move from. */
export interface AppChoice {
  id: string
  name: string
  /** The apps that the server may recognise in its exports. */
  recognised: readonly Move['app'][]
  /** How to get the export of its files. */
  files: string
  /** How to get the export of its buyers; null: their orders are in the store. */
  buyers: string | null
  /** The app exports no addresses of its files. */
  noFiles?: true
}

const NO_LIST = t(
  'This app exports no list of its files. Save the files on your computer and upload them here: their products are found by SKUs in their names. If you have a table with their addresses, choose it below.',
)

const ofStore = (id: string, name: string): AppChoice => ({
  id,
  name,
  recognised: ['shopify', 'other'],
  noFiles: true,
  files: NO_LIST,
  buyers: null,
})

export const APPS: readonly AppChoice[] = [
  ofStore('digital_downloads', 'Digital Downloads (Shopify)'),
  ofStore('fileflare', 'Fileflare'),
  ofStore('filemonk', 'Filemonk'),
  ofStore('sky_pilot', 'Sky Pilot'),
  {
    id: 'sendowl',
    name: 'SendOwl',
    recognised: ['sendowl', 'other'],
    noFiles: true,
    files: NO_LIST,
    buyers: t(
      'In SendOwl, export your orders as CSV. The table needs columns for the buyer’s email and for the product.',
    ),
  },
  {
    id: 'edd',
    name: 'Easy Digital Downloads',
    recognised: ['edd'],
    files: t('In WordPress, open Downloads → Reports → Export, and export the products as CSV.'),
    buyers: t('On the same page, export the orders, or the product sales, as CSV.'),
  },
  {
    id: 'woocommerce',
    name: 'WooCommerce',
    recognised: ['woocommerce'],
    files: t('In WordPress, open Products → All products → Export. Keep all columns.'),
    buyers: t(
      'With your database tool, export the table woocommerce_downloadable_product_permissions as CSV, with the names of its columns in the first row.',
    ),
  },
  {
    id: 'other',
    name: t('Another app'),
    recognised: ['other'],
    files: t(
      'A table with one row for each file: its address, and if you have them its name, the SKU, title or handle of its product, tags, days and downloads.',
    ),
    buyers: t(
      'A table with one row for each purchase: the buyer’s email, the SKU or title of the product, and if you have them the downloads that are left and the last day.',
    ),
  },
]

const APP_NAMES: Record<Move['app'], string> = {
  woocommerce: 'WooCommerce',
  edd: 'Easy Digital Downloads',
  sendowl: 'SendOwl',
  shopify: t('your store’s own orders'),
  other: t('a list of any app'),
}

const TABLES: Record<Move['table'], string> = {
  products: t('products with their files'),
  permissions: t('who may download what'),
  orders: t('orders'),
  sales: t('product sales'),
  list: t('a list of any app'),
}

/** `WooCommerce: products with their files` */
export function recognisedText({ app, table }: Pick<Move, 'app' | 'table'>): string {
  if (app === 'shopify') return APP_NAMES.shopify
  return app === 'other'
    ? APP_NAMES.other
    : t('{app}: {table}', { app: APP_NAMES[app], table: TABLES[table] })
}

export const FIELD_TEXTS: Record<MoveField, string> = {
  file_url: t('File URL'),
  filename: t('Filename'),
  product_sku: t('Product SKU'),
  product_title: t('Product title'),
  product_handle: t('Product handle'),
  product_id: t('Product ID'),
  download_id: t('Download ID'),
  tags: t('Tags'),
  download_limit: t('Download limit'),
  expiry_days: t('Expiry days'),
  email: t('The buyer’s email'),
  downloads_left: t('Downloads left'),
  expires_at: t('Expires on'),
  ordered_at: t('Ordered on'),
  status: t('Status of the order'),
  order: t('Order'),
}

/** What the import of an export did, or does. */
export function resultTitle(kind: Move['kind'], status: Operation['status']): string {
  const files = kind === 'files'
  switch (status) {
    case 'success':
      return files ? t('Files are moved') : t('Buyers are moved')
    case 'partial':
      return files ? t('Not all files could be moved') : t('Not all buyers could be moved')
    case 'failed':
      return t('The move failed')
    case 'cancelled':
      return t('The move was cancelled')
    case 'undone':
      return t('This move was undone')
    default:
      return files ? t('Moving files') : t('Moving buyers')
  }
}
