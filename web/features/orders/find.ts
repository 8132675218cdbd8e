// Deliveries in the palette: by the order's name or the buyer's address.
import { call } from '../../shell/client/client.ts'
import { type FindRecords } from '../../shell/feature.ts'
import { orderIn } from './labels.ts'
import { t } from '../../shell/messages/t.ts'

export const findDeliveries: FindRecords = async (text, limit, signal) => {
  const search = orderIn(text)
  const { data } = await call('GET /api/deliveries', { query: { search, limit }, signal })
  return data
    .map(({ id, order_name, email }) => ({
      label: t('Order {name}', { name: order_name }),
      detail: email ?? t('No email address'),
      url: `/deliveries/${id}`,
      isExact: numberOf(order_name) === numberOf(search),
    }))
    .toSorted((one, other) => Number(other.isExact) - Number(one.isExact))
}

const numberOf = (name: string): string => name.replace(/^#/, '').toLowerCase()
