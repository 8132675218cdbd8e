// Where a buyer's e-mail or IP address may be stored, and what happens to it when the platform
// requests the deletion of a customer's data. A generated test compares both lists with the live
// schema: a table in neither of them fails by its name.

/** Replaces a deleted address: valid, so that stored options can still be read. */
export const DELETED = 'deleted@customer.invalid'

export interface BuyerPlace {
  /** The kind of row, as the customer's document names it. */
  about: string
  columns: readonly string[]
  /** Other texts of the table, which contain nothing about buyers: ids, hashes, names of files. */
  keeps?: readonly string[]
  /**
   * `mask`: the address is replaced in these columns. `delete`: the row is deleted. `link`: the row
   * belongs to a buyer's link and is handled with it (redact-customer.ts). `order`: with the order.
   */
  how: 'mask' | 'delete' | 'link' | 'order'
}

export const PLACES: Readonly<Record<string, BuyerPlace>> = {
  links: { about: 'Download links', columns: ['email'], keeps: ['pack_name'], how: 'link' },
  downloads: { about: 'Downloads', columns: ['address', 'agent'], how: 'link' },
  download_sessions: { about: 'Open downloads', columns: [], how: 'link' },
  archive_sessions: {
    about: 'Open downloads of all files',
    columns: ['entries'],
    how: 'link',
  },
  orders: {
    about: 'Orders',
    columns: ['email', 'locale', 'customer_id', 'customer_name'],
    keeps: ['id', 'name', 'confirmation_number', 'financial_status', 'recommendation'],
    how: 'order',
  },
  demo_orders: { about: 'Orders of the demo shop', columns: ['data'], how: 'mask' },
  deliveries: {
    about: 'Deliveries',
    columns: ['email', 'ask'],
    keeps: ['order_id', 'marked'],
    how: 'order',
  },
  outbox: {
    about: 'Messages',
    columns: ['payload', 'result', 'error'],
    keeps: ['key'],
    how: 'delete',
  },
  notices: { about: 'Notices to the shop', columns: ['title', 'body'], how: 'delete' },
  operations: {
    about: 'Operations that made links',
    columns: [
      ...['workflow', 'request', 'source', 'label', 'warnings', 'intentions', 'stopped'],
      'requested_by',
    ],
    keeps: ['action', 'channel', 'idempotency_key', 'preview_counts'],
    how: 'mask',
  },
  items: {
    about: 'Files of those operations',
    columns: [
      ...['entry', 'draft', 'candidates', 'warnings', 'error', 'before', 'after', 'plan', 'wanted'],
    ],
    keeps: ['staged'],
    how: 'mask',
  },
  workflows: {
    about: 'Saved workflows',
    columns: ['steps'],
    keeps: ['name', 'channel'],
    how: 'mask',
  },
  schedules: {
    about: 'Scheduled tasks',
    columns: ['options', 'filter'],
    keeps: ['name', 'cron', 'action', 'built_in'],
    how: 'mask',
  },
  delivery_runs: {
    about: 'Prepared deliveries',
    columns: ['about', 'messages', 'reason'],
    keeps: ['code', 'workflow'],
    how: 'link',
  },
  prepared_files: {
    about: 'Own copies',
    columns: [],
    keeps: ['location', 'content_type', 'reason'],
    how: 'link',
  },
  customer_data: {
    about: 'Earlier answers to such requests',
    columns: [],
    keeps: ['customer_id', 'order_ids'],
    how: 'link',
  },
}

/** Tables without readable data about buyers, each with the reason. */
export const NOT_BUYERS: Readonly<Record<string, string>> = {
  api_keys: 'names that the merchant gave',
  artifacts: 'names of documents; those with a buyer’s links are deleted with the links',
  background_tasks: 'ids of work',
  backups: 'files’ names, tags and settings',
  blob_locations: 'hashes',
  blobs: 'hashes',
  buyer_pages: 'the look and the texts of the shop’s own pages',
  catalog_mirrors: 'counts of the catalog',
  catalog_staged: 'the shop’s public catalog',
  chains: 'numbers',
  cloud_authorizations: 'who of the shop signs in to a provider',
  cloud_files: 'paths of the merchant’s own files',
  cloud_listings: 'paths of the merchant’s own files',
  cloud_rejections: 'paths of the merchant’s own files',
  connections: 'the merchant’s own accounts',
  created_files: 'ids',
  csv_chunks: 'files to import, kept for a day; none of their columns is a buyer’s',
  csv_column_mappings: 'headers of the merchant’s own tables',
  csv_problems: 'cells of the merchant’s own tables, kept for a day',
  csv_uploads: 'headers and first rows of the merchant’s own tables, kept for a day',
  delivery_files: 'ids',
  download_notices: 'counts',
  drop_accounts: 'the merchant’s own accounts',
  drop_connections: 'the addresses of the merchant’s own clients',
  drop_entries: 'names of files that the merchant sent',
  drop_settings: 'switches',
  file_claims: 'ids',
  file_copies: 'hashes',
  files: 'the merchant’s own files',
  preview_names: 'names of files',
  idempotency_keys: 'sealed replies: redact-customer.ts masks those that name the buyer',
  item_batches: 'ids',
  flow_triggers: 'handles of the app’s own triggers',
  licence_keys: 'sealed keys',
  licence_lists: 'names that the merchant gave',
  mappings: 'the shop’s public catalog',
  order_effects: 'kinds, and errors of the platform',
  order_lines: 'the shop’s public catalog',
  order_syncs: 'times',
  pack_products: 'the shop’s public catalog',
  packs: 'names that the merchant gave',
  platform_changes: 'requests of the platform, deleted once they are carried out',
  products: 'the shop’s public catalog',
  public_addresses: 'counts',
  receiver_failures: 'addresses of the merchant’s own servers',
  reviews: 'the shop’s public catalog, and who of the shop decided',
  sync_changes: 'paths of the merchant’s own files',
  syncs: 'counts, and errors of a provider',
  shop_tokens: 'sealed tokens of the platform',
  tag_templates: 'tags',
  token_leases: 'ids',
  upload_batches: 'options of the merchant’s uploads',
  uploads: 'names of the merchant’s own files',
  variants: 'the shop’s public catalog',
  versions: 'hashes, and names of the merchant’s own files',
  shop_downloads: 'counts of each month',
  shop_plans: 'what the shop pays for',
  webhook_endpoints: 'addresses of the merchant’s own servers',
  webhooks: 'ids of the platform, kept for some days',
}

/** Columns outside the shops' tables that look like an address, each with the reason. */
export const NOT_OF_SHOPS: Readonly<Record<string, string>> = {
  'shops.profile': 'the merchant’s own address, from the platform',
  'rate_limits.key': 'networks of clients, for an hour at most, with nothing that names a buyer',
}
