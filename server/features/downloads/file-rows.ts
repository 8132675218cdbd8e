// The rows of files on buyers' pages, which are grouped by product: the page of a delivery or a pack,
// and the library. Each has a tile, a name, one line of terms and a column of buttons.
import { isLinkFile, nameForBuyers } from '../../../plugins/contract/index.ts'
import { bareType } from '../../files/view-kinds.ts'
import type { PageButton } from './pages.ts'
import type { Translator } from './translate.ts'

/** What the template `file-rows.hbs` shows. */
export interface FileRows {
  groups: readonly RowGroup[]
  /** The checksums of files that can be downloaded, under *Details*. */
  sums: readonly { name: string; sha256: string }[]
}

export interface RowGroup {
  /** The product; empty: the page does not say it. */
  title: string
  /** The address of the product's picture; null: it has none. */
  picture: string | null
  /** The order, and the address of its page. */
  from?: string
  page?: string | null
  /** Answers what its locked files ask for. */
  unlock?: UnlockQuestion | null
  rows: readonly BuyersRow[]
}

/** A question that opens all files that ask the same. */
export interface UnlockQuestion {
  text: string
  /** Of its button, with the text. */
  label: string
  /** The page that asks. */
  address: string
}

export function questionOf(
  t: Translator,
  { count, kind, address }: { count: number; kind: 'email' | 'password'; address: string },
): UnlockQuestion {
  const text = t('gate.filesAsk', { count, kind })
  return { text, label: `${t('gate.unlock')}: ${text}`, address }
}

export interface BuyersRow {
  name: string
  tile: Tile
  isNew?: boolean
  /** Its size and terms. */
  about: string
  /** Licence keys, each in its own line. */
  notes: readonly string[]
  /** The shop's text about the file, by its lines. */
  text: readonly TextLine[]
  /** The first is the main one. */
  buttons: readonly RowButton[]
}

/** A line of a text, in which addresses are links. */
export type TextLine = readonly { text: string; address?: string }[]

/** Characters that end an address: also letters of scripts that put no space after it. */
const NOT_IN_ADDRESS = String.raw`\s<>"\u3000-\u303f\uff00-\uffef\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}`
const ADDRESS = new RegExp(
  `(https?://[^${NOT_IN_ADDRESS}]*[^${NOT_IN_ADDRESS}'.,:;!?)\\]}»”’])`,
  'u',
)

/** The lines of a text that a merchant wrote for buyers; null: there is none. */
export const textLines = (text: string | null): TextLine[] =>
  text === null
    ? []
    : text
        .split('\n')
        .map((line) =>
          line
            .split(ADDRESS)
            .flatMap((part, at) =>
              part === '' ? [] : at % 2 === 1 ? [{ text: part, address: part }] : [{ text: part }],
            ),
        )

export interface RowButton extends Pick<PageButton, 'address' | 'post' | 'text'> {
  /** Names the file, for readers that list buttons alone. */
  label: string
  second: boolean
}

/** A square that shows the file's picture, or its type until there is one. */
export interface Tile {
  /** `PDF`; empty: the name has no extension. */
  type: string
  kind: TileKind
  /** The address of its small picture; null: it has none. */
  picture: string | null
}

type TileKind = 'document' | 'image' | 'audio' | 'video' | 'archive' | 'pack' | 'link' | 'other'

const KINDS: readonly (readonly [TileKind, RegExp])[] = [
  ['image', /^image\//],
  ['audio', /^audio\//],
  ['video', /^video\//],
  ['archive', /^application\/(zip|gzip|x-7z-compressed|x-tar|vnd\.rar|x-rar-compressed)$/],
  ['document', /^(text\/|application\/(pdf|epub|msword|rtf|vnd\.))/],
]

const LONGEST_TYPE = 5

/** @param contentType null: a pack */
export function tileOf(name: string, contentType: string | null, picture: string | null): Tile {
  if (contentType === null) return { type: '', kind: 'pack', picture }
  if (isLinkFile(contentType)) return { type: '', kind: 'link', picture: null }
  const type = /\.([A-Za-z0-9]+)$/.exec(name)?.[1] ?? ''
  const bare = bareType(contentType)
  return {
    type: type.length > LONGEST_TYPE ? '' : type.toUpperCase(),
    kind: KINDS.find(([, types]) => types.test(bare))?.[0] ?? 'other',
    picture,
  }
}

/** The name of a file or a pack as buyers see it. */
export const shownName = (filename: string, contentType: string | null): string =>
  isLinkFile(contentType) ? nameForBuyers(filename) : filename

/** The words of the main button: a file is downloaded, a link is opened. */
export const downloadWords = (
  t: Translator,
  filename: string,
  contentType: string | null,
): { text: string; label: string } =>
  isLinkFile(contentType)
    ? {
        text: t('library.open'),
        label: t('library.openNamed', { filename: nameForBuyers(filename) }),
      }
    : { text: t('pack.download'), label: t('pack.downloadNamed', { filename }) }

/** Puts neighbours with the same product into one group. */
export function groupRows<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  groupOf: (items: readonly [Item, ...Item[]]) => RowGroup,
): RowGroup[] {
  const groups: [Item, ...Item[]][] = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last && keyOf(last[0]) === keyOf(item)) last.push(item)
    else groups.push([item])
  }
  return groups.map(groupOf)
}
