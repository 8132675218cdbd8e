// Where the database may hold a buyer's e-mail address or IP address, column by column. A test
// compares both lists with the schema: a new text column must be put into one of them.

/** Columns in which an address may be part of a text: a mail, an option of an operation, a notice. */
export const ADDRESS_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  links: ['email'],
  orders: ['email'],
  deliveries: ['email', 'ask'],
  outbox: ['payload', 'result', 'error'],
  notices: ['title', 'body'],
  operations: ['workflow', 'request', 'source', 'intentions', 'label', 'warnings', 'stopped'],
  items: ['entry', 'draft', 'before', 'after', 'plan', 'wanted', 'error', 'warnings'],
  workflows: ['name', 'steps'],
  schedules: ['name', 'options', 'filter'],
  platform_changes: ['payload'],
  demo_orders: ['data'],
}

/** IP addresses of downloads, found by the links of a buyer. */
export const CLIENT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  downloads: ['address', 'agent'],
}

/** Text columns that hold no buyer's address, by what they do hold. */
export const OTHER_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  // The app's own keys, accounts and people.
  api_keys: ['name', 'hint', 'scopes'],
  drop_accounts: ['name', 'username', 'password', 'public_keys', 'allowed_addresses'],
  // Of the shop's own people, who connect with the shop's accounts.
  drop_connections: ['username', 'address', 'protocol', 'refused'],
  shop_tokens: ['scope'],
  idempotency_keys: ['key'],
  // The shop's files, catalog and settings.
  artifacts: ['location', 'filename', 'content_type'],
  backups: ['location', 'record'],
  blob_locations: ['location'],
  catalog_mirrors: ['bulk_operation', 'error'],
  catalog_staged: ['kind', 'id', 'data'],
  drop_entries: ['folder', 'name', 'kind', 'state', 'location', 'protocol'],
  file_copies: ['location'],
  files: [
    ...['filename', 'name_key', 'extension', 'content_type', 'tags', 'visibility'],
    ...['allowed_referrers', 'mapping_state', 'channel', 'wanted_sku'],
  ],
  foreseen_names: ['name_key'],
  mappings: ['product_id', 'variant_id', 'product_title', 'sku', 'method', 'reason'],
  pack_products: ['product_id', 'variant_id', 'product_title', 'sku'],
  packs: ['name', 'name_key'],
  products: ['id', 'title', 'title_key', 'handle', 'status', 'image_url', 'tags', 'tag_keys'],
  reviews: ['candidates', 'status', 'decided_by'],
  tag_templates: ['name', 'name_key', 'tags'],
  variants: ['id', 'product_id', 'title', 'sku', 'sku_key'],
  versions: ['location', 'content_type', 'filename'],
  uploads: ['status', 'filename', 'on_conflict', 'tags', 'metadata', 'requested_by', 'name_key'],
  upload_batches: ['request', 'requested_by'],
  // A CSV file of the shop: its fields are names, addresses of files and SKUs. Removed after a day.
  csv_column_mappings: ['name', 'headers_key', 'mapping'],
  csv_problems: ['column', 'severity', 'code', 'message', 'detail', 'value'],
  csv_uploads: [
    ...['filename', 'status', 'format', 'headers', 'sample', 'structure', 'mapping'],
    ...['saved_mapping', 'check_options', 'progress', 'failure'],
  ],
  // Ids, states and names.
  archive_sessions: ['entries'],
  background_tasks: ['task', 'key'],
  delivery_files: ['line_id'],
  order_effects: ['order_id', 'kind', 'error'],
  order_lines: ['order_id', 'id', 'title', 'sku', 'product_id', 'variant_id'],
  webhooks: ['id', 'topic'],
}

/** Columns of the tables above that hold ids and states next to an address. */
export const PLAIN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  links: ['pack_name'],
  orders: [
    ...['id', 'name', 'confirmation_number', 'locale', 'customer_id', 'financial_status'],
    'recommendation',
  ],
  deliveries: ['order_id', 'held_by', 'marked'],
  outbox: ['key', 'kind', 'status'],
  notices: ['level'],
  operations: [
    ...['kind', 'action', 'channel', 'status', 'requested_by', 'idempotency_key', 'detail'],
    'foreseen',
  ],
  items: ['status', 'staged', 'candidates'],
  workflows: ['kind', 'channel'],
  schedules: ['cron', 'action', 'built_in', 'notify'],
  platform_changes: ['kind', 'subject'],
}
