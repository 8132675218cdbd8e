import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { english, type DeliveryPort } from '../contract/index.ts'
import { notifyDelivery } from './plugin.ts'

const items = [fileItem('book.pdf'), fileItem('sources.zip')]
type Message = Parameters<DeliveryPort['notifyShop']>[0]

/** Messages by title, as the engine keeps them. */
function openDelivery() {
  const messages = new Map<string, Message>()
  const { delivery } = writeContext()
  const notifyShop = ({ title, body, email }: Message) =>
    void messages.set(english(title), { title: english(title), body: english(body), email })
  return { messages, context: writeContext({ delivery: { ...delivery, notifyShop } }) }
}

pluginSuite(notifyDelivery, () => {
  const { messages, context } = openDelivery()
  return Promise.resolve({ items, context, state: () => [...messages.values()] })
})

it('sends one message for the whole delivery', async () => {
  const { messages, context } = openDelivery()
  const options = notifyDelivery.options.parse({ email: true })
  await Array.fromAsync(notifyDelivery.run!(items, options, context))
  expect([...messages.values()]).toEqual([
    {
      title: 'The files of order #1001 were delivered',
      body: 'They are ready for ann@example.com.',
      email: true,
    },
  ])
})
