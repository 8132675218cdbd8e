// How an endpoint states that the log of changes names it.

/** What a change is about. */
export const CHANGE_KINDS = [
  'settings',
  'api_key',
  'tag_template',
  'workflow',
  'schedule',
  'trigger',
  'mapping_rule',
  'column_mapping',
  'drop_settings',
  'drop_account',
  'connection',
  'feed',
  'mail',
  'mail_texts',
  'buyer_page',
  'webhook',
  'licence_list',
] as const
export type LoggedKind = (typeof CHANGE_KINDS)[number]

export const CHANGE_VERBS = ['created', 'changed', 'deleted'] as const
export type ChangeVerb = (typeof CHANGE_VERBS)[number]

/** How an endpoint is logged. */
export interface LoggedChange {
  kind: LoggedKind
  /** The secret that it renews, as its answer names it. Absent: it renews none. */
  renews?: string
  /** Absent: a POST creates, a DELETE of an id deletes, all others change. */
  verb?: ChangeVerb
}
