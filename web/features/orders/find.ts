// Deliveries in the palette: by the order's name or the buyer's address.
import { call } from '../../shell/client/client.ts'
import { type FindRecords } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'

export const findDeliveries: FindRecords = async (search, limit, signal) => {
  const query = { search, limit }
  const { data } = await call('GET /api/deliveries', { query, signal })
  return data.map(({ id, order_name, email }) => ({
    label: t('Order {name}', { name: order_name }),
    detail: email ?? t('No email address'),
    url: `/deliveries/${id}`,
  }))
}
