import { expect, it } from 'vitest'
import { buyerPath, emailInPath } from './url-state.ts'

it('an email address is found again in its path', () => {
  for (const email of ['ada@example.com', 'a+b/c%40?d#e@exämple.com'])
    expect(emailInPath(buyerPath(email).slice('/buyers/'.length))).toBe(email)
  expect(emailInPath('50%@example.com')).toBe('50%@example.com')
})
