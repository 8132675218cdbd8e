// States texts for people. Imports nothing, because the scripts of sandboxes load it.

export interface Text {
  message: string
  /** Tells apart equal English messages with different meanings. */
  context?: string
  values: Readonly<Record<string, TextValue>>
}

/** A number is written as the reader's language writes it; a name, a code or an id is a string. */
export type TextValue = string | number | Text

/** A plain string is shown in the reader's language if a catalog has it, otherwise unchanged. */
export type AnyText = Text | string

/**
 * States a text: `say('{count, plural, one {# file is} other {# files are}} damaged', { count })`.
 * `message` must be a literal, so that it is collected. `#` and `{count}` show `1,234`.
 * @param context tells apart equal English messages with different meanings, `say('Import', {},
 *   'noun')`; a literal too
 */
export const say = (message: string, values: Text['values'] = {}, context?: string): Text =>
  context === undefined ? { message, values } : { message, context, values }

/**
 * States a text without values where a plain string is needed, and returns it. Readers find its
 * translation by the English message, so the message must be a literal.
 */
export const sayPlain = <Message extends string>(message: Message): Message => message
