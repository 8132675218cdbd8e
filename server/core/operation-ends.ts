// Which ends of operations something is called for, as data: what does not match is never called.

/** The conditions that an end meets; all that are present must hold. */
export interface EndOf {
  kind?: 'import' | 'bulk'
  channel?: string
  /** The action of its workflow: `map-products`. */
  action?: string
  /** It undoes another operation. */
  undo?: true
  /** It ran a workflow of the shop. */
  own?: true
  /** Did files, or all of it, fail? */
  failed?: boolean
  /** It ended by itself: nobody cancelled it, and it is no preview. */
  completed?: true
  /** It changed files; a preview, or one that failed before the first file, did not. */
  worked?: true
  /** It was a preview and has been confirmed. */
  confirmed?: true
  /** Its preview is ready, and waits to be confirmed. No other end is. */
  previewed?: true
  /** A field that its request has. */
  asked?: 'callback_url'
  /** The plugin of a step announces this event. */
  announced?: string
}

/** An end meets one of these. */
export type EndsOf = EndOf | readonly EndOf[]

/** The end of an operation, as conditions distinguish ends. */
export interface EndedOperation {
  kind: 'import' | 'bulk'
  channel: string
  action: string
  undo: boolean
  own: boolean
  failed: boolean
  completed: boolean
  worked: boolean
  confirmed: boolean
  previewed: boolean
  asked: ReadonlySet<string>
  announced: ReadonlySet<string>
}

export const isEndOf = (of: EndsOf, end: EndedOperation): boolean =>
  'length' in of ? of.some((one) => meets(one, end)) : meets(of, end)

const meets = (
  {
    kind,
    channel,
    action,
    undo,
    own,
    failed,
    completed,
    worked,
    confirmed,
    previewed,
    ...of
  }: EndOf,
  end: EndedOperation,
): boolean =>
  (kind ?? end.kind) === end.kind &&
  (channel ?? end.channel) === end.channel &&
  (action ?? end.action) === end.action &&
  (!undo || end.undo) &&
  (!own || end.own) &&
  (failed ?? end.failed) === end.failed &&
  (!completed || end.completed) &&
  (!worked || end.worked) &&
  (!confirmed || end.confirmed) &&
  (previewed ?? false) === end.previewed &&
  (of.asked === undefined || end.asked.has(of.asked)) &&
  (of.announced === undefined || end.announced.has(of.announced))
