// Where the words of a search are in a text.

export interface MarkedPart {
  text: string
  marked: boolean
}

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The text in parts, without regard to case. Without words: one part. */
export function markedParts(text: string, find: string): MarkedPart[] {
  const words = find.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return [{ text, marked: false }]
  const pattern = new RegExp(
    `(${words
      .toSorted((a, b) => b.length - a.length)
      .map(escaped)
      .join('|')})`,
    'giu',
  )
  return text
    .split(pattern)
    .map((part, at) => ({ text: part, marked: at % 2 === 1 }))
    .filter((part) => part.text !== '')
}

/** Characters at the end of a name that stay when it is cut: what differs is often a number there. */
const END = 14

/** A name in two parts: the first one is cut where there is no room, the second one is not. */
export function cutParts(filename: string): [start: string, end: string] {
  const characters = [...filename]
  if (characters.length <= END * 2) return [filename, '']
  return [characters.slice(0, -END).join(''), characters.slice(-END).join('')]
}
