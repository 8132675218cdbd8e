// Texts about customers' requests for their data.
import { type CustomerAnswer } from './calls.ts'
import { t } from '../../shell/messages/t.ts'
import { andText } from '../../shell/labels/list.ts'

/** The number at the end of a global id of the platform: `gid://shopify/Customer/7`. */
const platformNumber = (id: string): string => id.split('/').at(-1)!

export const requestedBy = ({ customer_id }: Pick<CustomerAnswer, 'customer_id'>): string =>
  customer_id === null
    ? t('A customer without an account')
    : t('Customer {number}', { number: platformNumber(customer_id) })

const SHOWN_ORDERS = 5

/** What was requested: some orders, or everything that is stored. */
export function requestedText({ order_ids }: Pick<CustomerAnswer, 'order_ids'>): string {
  if (order_ids.length === 0) return t('All data that is stored about them')
  const named = order_ids.slice(0, SHOWN_ORDERS).map(platformNumber)
  const more = order_ids.length - named.length
  const rest =
    more > 0 ? [t('{more, plural, one {# more order} other {# more orders}}', { more })] : []
  return t('All data that is stored about them, and the orders {list}', {
    list: andText([...named, ...rest]),
  })
}
