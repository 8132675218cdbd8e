// A text in two columns: its message in `NAME`, and its values in `NAME_values`, which are null if it
// has none. Large tables keep texts in this form: a message and its values need less room than the
// text in English with both beside it. Small tables have the English sentence, by which they are searched,
// and the text beside it (`reasonColumns` of core/texts.ts).

/** SQL: the text as JSON: a message with its values, or a string without any. */
export const textOfColumns = (name: string): string =>
  `case when ${name}_values is null then to_jsonb(${name})
    else jsonb_build_object('message', ${name}, 'values', ${name}_values) end`

/** SQL: what the two columns get for a text as JSON. */
export const columnsOfText = (json: string): string =>
  `coalesce(${json} ->> 'message', ${json} #>> '{}'), nullif(${json} -> 'values', '{}')`
