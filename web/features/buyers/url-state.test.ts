import { expect, it } from 'vitest'
import { BUYER_STATE, buyerPath } from './url-state.ts'

it('an email address is found again in the address of its page', () => {
  for (const email of ['ada@example.com', 'a+b/c%40?d#e&f=@exämple.com'])
    expect(BUYER_STATE.read(new URL(buyerPath(email), 'https://shop.test').search)).toMatchObject({
      email,
    })
})
