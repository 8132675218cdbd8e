import { expect, test } from 'vitest'
import { verifyBuyerToken } from './buyer-token.ts'
import { signToken } from '../demo/jwt.ts'
import { openLibrary } from './library.ts'
import { verifySessionToken } from './session-token.ts'

const platform = { apiKey: 'the-client-id', apiSecret: 'the secret of the app' }
const NOW = new Date()
const seconds = Math.floor(NOW.getTime() / 1000)
const claims = {
  dest: 'harbour.myshopify.com',
  aud: platform.apiKey,
  exp: seconds + 300,
  nbf: seconds,
  iat: seconds,
  jti: 'a',
}
const sign = (over: Record<string, unknown> = {}, secret = platform.apiSecret) =>
  signToken({ ...claims, ...over }, secret)
const verify = (token: string) => verifyBuyerToken(token, platform, NOW)

test('a buyer’s token names the shop, with and without an account', () => {
  expect(verify(sign())).toEqual({ shopDomain: 'harbour.myshopify.com', customer: null })
  const signedIn = sign({
    dest: 'https://harbour.myshopify.com',
    sub: 'gid://shopify/Customer/1',
  })
  expect(verify(signedIn)).toEqual({
    shopDomain: 'harbour.myshopify.com',
    customer: 'gid://shopify/Customer/1',
  })
})

test.each([
  ['another secret', sign({}, 'another secret')],
  ['another app', sign({ aud: 'another' })],
  ['expired', sign({ exp: seconds - 1 })],
  ['not yet', sign({ nbf: seconds + 60 })],
  ['too long a life', sign({ exp: seconds + 3600 })],
  ['no shop of the platform', sign({ dest: 'evil.example' })],
  ['no times', sign({ exp: undefined })],
  ['the admin’s', sign({ iss: 'https://harbour.myshopify.com/admin', sub: '1' })],
  ['a person of the staff', sign({ sub: '1' })],
  ['none', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${sign().split('.')[1]}.`],
  ['no token', 'x.y.z'],
  ['a long text', 'x'.repeat(10_000)],
])('%s is refused', (_, token) => {
  expect(() => verify(token)).toThrow(
    expect.objectContaining({ code: 'unauthenticated' }) as unknown as Error,
  )
})

test('the admin’s verifier refuses a buyer’s token', async () => {
  const library = openLibrary(platform, 'https://files.example.com')
  for (const over of [{}, { sub: 'gid://shopify/Customer/1' }])
    await expect(verifySessionToken(library, sign(over))).rejects.toMatchObject({
      code: 'unauthenticated',
    })
})
