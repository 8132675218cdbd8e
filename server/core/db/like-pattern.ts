/** Escapes text for LIKE: `%`, `_` and `\` match themselves. */
export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
