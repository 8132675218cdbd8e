// Files in the palette.
import { call } from '../../shell/client/client.ts'
import { type FindRecords } from '../../shell/feature.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { type File } from '../../shell/client/types.ts'

export const findFiles: FindRecords = async (text, limit, signal) => {
  const query = { search: text, limit }
  const { data, total, total_is_exact: isExact } = await call('GET /api/files', { query, signal })
  const files = data.map((file) => ({
    label: file.filename,
    detail: [...codesOf(file), sizeText(file.size_bytes)].join(' · '),
    url: `/files/${file.id}`,
  }))
  const all = {
    label: isExact
      ? t('Show all {total, plural, one {# file} other {# files}}', { total })
      : t('Show all files, more than {total, number}', { total }),
    url: `/files?search=${encodeURIComponent(text)}`,
  }
  return total > files.length ? [...files, all] : files
}

/** The SKUs and barcodes by which it was found: its name does not show them. */
const codesOf = ({ matched = [] }: File): string[] =>
  matched.filter(({ field }) => field === 'sku' || field === 'barcode').map(({ value }) => value)
