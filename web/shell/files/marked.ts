// Where the words of a search are in a text.
import { searchKey, searchWords } from '../../../plugins/_page/search-key.ts'

export interface MarkedPart {
  text: string
  marked: boolean
}

/** The text in parts, compared as a search compares texts. Without words: one part. */
export function markedParts(text: string, find: string): MarkedPart[] {
  const words = searchWords(find)
    .map(searchKey)
    .filter((word) => word !== '')
  if (words.length === 0) return [{ text, marked: false }]
  const { key, places } = keyWithPlaces(text)
  const parts: MarkedPart[] = []
  const add = (from: number, to: number, marked: boolean) => {
    const part = text.slice(places[from], places[to])
    if (part !== '') parts.push({ text: part, marked })
  }
  let done = 0
  for (const { index, 0: found } of key.matchAll(anyOf(words))) {
    add(done, index, false)
    done = index + found.length
    add(index, done, true)
  }
  add(done, key.length, false)
  return parts
}

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const anyOf = (words: readonly string[]) =>
  new RegExp(
    words
      .toSorted((a, b) => b.length - a.length)
      .map(escaped)
      .join('|'),
    'gu',
  )

/** The key of the text, and where in the text each of its characters begins. A letter has its marks. */
function keyWithPlaces(text: string): { key: string; places: number[] } {
  let key = ''
  const places: number[] = []
  for (const { 0: letter, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const part = searchKey(letter)
    for (let at = 0; at < part.length; at++) places.push(index)
    key += part
  }
  return { key, places: [...places, text.length] }
}

/** Characters at the end of a name that stay when it is cut: what differs is often a number there. */
const END = 14

/** A name in two parts: the first one is cut where there is no room, the second one is not. */
export function cutParts(filename: string): [start: string, end: string] {
  const characters = [...filename]
  if (characters.length <= END * 2) return [filename, '']
  const end = characters.slice(-END).join('')
  const shown = end.trimStart()
  // A space after the cut would look like a gap.
  return [filename.slice(0, filename.length - shown.length), shown]
}
