import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { DeliveryPort } from '../contract.ts'
import { notifyDelivery } from './plugin.ts'

const items = [fileItem('book.pdf'), fileItem('sources.zip')]
type Message = Parameters<DeliveryPort['tell']>[0]

/** Messages by title, as the engine keeps them. */
function openDelivery() {
  const told = new Map<string, Message>()
  const { delivery } = writeContext()
  const tell = (message: Message) => void told.set(message.title, message)
  return { told, context: writeContext({ delivery: { ...delivery, tell } }) }
}

pluginSuite(notifyDelivery, () => {
  const { told, context } = openDelivery()
  return Promise.resolve({ items, context, state: () => [...told.values()] })
})

it('sends one message for the whole delivery', async () => {
  const { told, context } = openDelivery()
  const options = notifyDelivery.options.parse({ email: true })
  await Array.fromAsync(notifyDelivery.run!(items, options, context))
  expect([...told.values()]).toEqual([
    {
      title: 'The files of order #1001 were delivered',
      body: 'They are ready for ann@example.com.',
      email: true,
    },
  ])
})
