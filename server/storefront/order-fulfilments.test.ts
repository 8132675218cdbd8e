// Whether the platform has told a buyer, without and with asking for earlier fulfilments.
import { expect, test } from 'vitest'
import { PortError } from '../../plugins/contract/index.ts'
import { type AdminRequest, orderChanges } from './admin-api.ts'
import { fulfilLines } from './order-fulfilments.ts'

const REFUSED = new PortError('storefront_unavailable', 'The platform is busy', true)
const { signal } = new AbortController()

interface TestOrder {
  /** The units of its line that are not fulfilled. */
  left: number
  held?: boolean
  objects?: boolean
  /** What the platform says of earlier fulfilments; absent: it refuses to. */
  answer?: object
}

interface MadeInput {
  lineItemsByFulfillmentOrder: [{ fulfillmentOrderId: string }]
}

async function fulfil(orders: Record<string, TestOrder>) {
  const asked: string[] = []
  const request: AdminRequest = ({ text }, variables) => {
    if (text.includes('fulfillmentCreate'))
      return Promise.resolve(
        Object.fromEntries(
          Object.values(variables as Record<string, MadeInput>).map((made, at) => {
            const { objects } = orders[made.lineItemsByFulfillmentOrder[0].fulfillmentOrderId]!
            return [`made${at}`, { userErrors: objects ? [{ message: 'closed' }] : [] }]
          }),
        ) as never,
      )
    if ('ids' in variables)
      return Promise.resolve({
        nodes: (variables.ids as string[]).map((id) => fulfilmentsOf(id, orders[id]!)),
      } as never)
    const { id } = variables as { id: string }
    asked.push(id)
    const { answer } = orders[id]!
    return answer ? Promise.resolve({ order: answer } as never) : Promise.reject(REFUSED)
  }
  const wanted = Object.keys(orders).map((order) => ({
    order,
    lines: [`${order}/line`],
    notify: { company: 'Books', url: `https://${order}`, untold: [`${order}/line`] },
  }))
  const results = await fulfilLines(request, orderChanges(request, false), wanted, signal)
  return { results, asked }
}

const fulfilmentsOf = (id: string, { left, held = false }: TestOrder) => ({
  fulfillmentOrders: {
    pageInfo: { hasNextPage: false, endCursor: null },
    nodes: [
      {
        id,
        status: held ? 'ON_HOLD' : left > 0 ? 'OPEN' : 'CLOSED',
        supportedActions: [{ action: 'CREATE_FULFILLMENT' }],
        lineItems: {
          pageInfo: { hasNextPage: false, endCursor: null },
          nodes: [
            {
              id: `${id}/1`,
              remainingQuantity: left,
              lineItem: { id: `${id}/line`, requiresShipping: false },
            },
          ],
        },
      },
    ],
  },
})

test('an order of which the platform does not say whether it told fails alone', async () => {
  const told = {
    fulfillments: [
      {
        trackingInfo: [{ url: 'https://told' }],
        fulfillmentLineItems: { nodes: [{ lineItem: { id: 'told/line' } }] },
      },
    ],
  }
  const { results, asked } = await fulfil({
    open: { left: 1 },
    unknown: { left: 0 },
    told: { left: 0, answer: told },
    held: { left: 1, held: true },
    refused: { left: 1, objects: true },
  })
  expect(results).toEqual([
    { error: null, told: true, later: null },
    { error: REFUSED, told: false, later: null },
    { error: null, told: true, later: null },
    { error: null, told: false, later: 'held' },
    { error: REFUSED, told: false, later: null },
  ])
  // Only about those of whose lines none is left, or that it objects to.
  expect(asked).toEqual(['unknown', 'told', 'refused'])
})
