// Packs in the palette.
import { call } from '../../shell/client/client.ts'
import { type FindRecords } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const findPacks: FindRecords = async (search, limit, signal) => {
  const query = { search, limit }
  const { data } = await call('GET /api/packs', { query, signal })
  return data.map(({ id, name, files }) => ({
    label: name,
    detail: t('{count, plural, one {# file} other {# files}}', { count: files }),
    url: `/packs/${id}`,
  }))
}
