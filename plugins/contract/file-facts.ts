// What conditions ask about a file beyond its own record: where it came from and what became of it.

/** The engine reads these facts only for steps whose conditions ask for them. */
export interface FileFacts {
  /** The channel through which it was imported. */
  channel: string | null
  /** When it was last changed, ISO 8601; null: it is being imported. */
  changed_at: string | null
  /** The accounts of the drop folder that sent it: `account_…`. */
  drop_accounts: readonly string[]
  /** The cloud connections that it is synced with: `connection_…`. */
  connections: readonly string[]
  /** Its folders there, below the synced folder; '' is that folder itself. */
  folders: readonly string[]
  /** Whether a link to it or a public address of it was ever made. */
  linked: boolean
  /** Whether a delivery has ever contained it. */
  delivered: boolean
  /** When it was last downloaded, or viewed in the browser; null: never. */
  used_at: string | null
  /** The tags of its products in the form of `nameKey`. */
  product_tags: readonly string[]
  /** The packs that its draft names and that exist already, bare UUIDs. */
  named_packs: readonly string[]
}

/** The facts of a file that did not exist before. */
export const NO_FACTS: FileFacts = {
  channel: null,
  changed_at: null,
  drop_accounts: [],
  connections: [],
  folders: [],
  linked: false,
  delivered: false,
  used_at: null,
  product_tags: [],
  named_packs: [],
}
