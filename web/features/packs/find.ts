// Packs in the palette.
import { call } from '../../shell/client/client.ts'
import { type Page } from '../../shell/client/types.ts'
import { type FindRecords } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { type Pack } from './calls.ts'

export const findPacks: FindRecords = async (search, limit, signal) => {
  const query = { search, limit }
  const { data } = await call<Page<Pack>>('/api/packs', { query, signal })
  return data.map(({ id, name, files }) => ({
    label: name,
    detail: t('{count, plural, one {# file} other {# files}}', { count: files }),
    url: `/packs/${id}`,
  }))
}
