// Text looked for by LIKE: its own signs stand for nothing but themselves.
export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
