// Files in the palette.
import { call } from '../../shell/client/client.ts'
import { type FindRecords } from '../../shell/feature.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { type File } from '../../shell/client/types.ts'

export const findFiles: FindRecords = async (typed, limit, signal) => {
  const { text, replaces } = wantedIn(typed)
  const query = { search: text, limit }
  const { data, total, total_is_exact: isExact } = await call('GET /api/files', { query, signal })
  const files = data.map((file) => ({
    label: replaces ? t('Replace {filename}', { filename: file.filename }) : file.filename,
    detail: [...codesOf(file), sizeText(file.size_bytes)].join(' · '),
    url: replaces ? `/files/${file.id}?replace` : `/files/${file.id}`,
  }))
  const all = {
    label: isExact
      ? t('Show all {total, plural, one {# file} other {# files}}', { total })
      : t('Show all files, more than {total, number}', { total }),
    url: `/files?search=${encodeURIComponent(text)}`,
  }
  return total > files.length ? [...files, all] : files
}

/** `replace guide` finds the files whose next version is to be chosen. */
function wantedIn(typed: string): { text: string; replaces: boolean } {
  const [first = '', ...rest] = typed.split(/\s+/)
  const words = ['replace', t('Replace').toLowerCase()]
  const replaces = words.includes(first.toLowerCase()) && rest.length > 0
  return { text: replaces ? rest.join(' ') : typed, replaces }
}

/** The SKUs and barcodes by which it was found: its name does not show them. */
const codesOf = ({ matched = [] }: File): string[] =>
  matched.filter(({ field }) => field === 'sku' || field === 'barcode').map(({ value }) => value)
