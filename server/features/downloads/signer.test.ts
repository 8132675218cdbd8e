import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createSecrets } from '../../core/secrets.ts'
import { createGateTokens } from './gate-tokens.ts'
import { createSignedAddresses } from './public.ts'
import { createSigner } from './signer.ts'
import { createStartAddresses } from './request.ts'
import { createViewAddresses } from './view/address.ts'

const SECRET = 'the secret of addresses that are in mails'
const secrets = createSecrets(SECRET)
const now = new Date('2026-11-27T07:00:00Z')
const later = new Date('2026-11-27T07:09:00Z')
const root = '0f8fad5b-d9cb-469f-a165-70867728950e'
const key = 'k'.repeat(43)
const hash = 'ab'.repeat(32)
const request = (url: string, cookie = '') => ({ url, headers: { cookie } }) as IncomingMessage

// Made by the versions that buyers and caches have addresses of: none of them may stop.
const OPEN = '1795764600.q2PSNuFojHMH8ix2Eb_yPxFC7c6WmOy5yleXHZIeXHc'
const START = '&start=1795763400.VHhj_q_YfHNK5-Pz9Xn8U_hTYCM2j71mUsNVs3ashXk'
const START_ALL = '&start=1795763400.zb3qtDf5TW2200GRKToIERNgcFihd7IU5Rg4x7goOE8'
const VIEW = `key=${key}&hash=${hash}&until=1795777200&proof=Ey0RZeqUD0ffRBhtSuJFYyxHkUZCwQfxGPpOLu6i-QI`
const CDN = `/cdn/1795770000/Tr4hvicOXiLUezzyve2p3CnVDgE0jx_4hjqedhKNAMw/${root}/${hash}/Band%20%26%20Tour.pdf`

it('addresses that were given out are valid, and new ones are the same', () => {
  expect(secrets.linkKey(root, 0)).toBe('tYNDKFB5HuTrj_j6kDt__oCO_iERjVPdvIZcRFgfHOY')
  const gates = createGateTokens(secrets)
  expect(gates.make({ asks: 'email', root }, now)).toBe(OPEN)
  expect(gates.opens(request(`/download?open=${OPEN}`), { asks: 'email', root }, later)).toBe(true)
  const starts = createStartAddresses(secrets)
  expect(starts.queryOf(key, false, now)).toBe(START)
  expect(starts.stateOf(request(`/download?key=${key}${START}`), key, false, later)).toBe('fresh')
  const all = request(`/download?key=${key}&all=1${START_ALL}`)
  expect(starts.stateOf(all, key, true, later)).toBe('fresh')
  const views = createViewAddresses(secrets)
  expect(views.queryOf({ key, hash }, 's'.repeat(22), new Date('2026-11-27T11:00:00Z'))).toBe(VIEW)
  const viewed = request(`/view/bytes?${VIEW}`, `stevedore_view=${'s'.repeat(22)}`)
  expect(views.read(viewed, later)).toEqual({ key, hash })
  const cdn = createSignedAddresses('https://cdn.example.com', secrets)
  expect(cdn.read(CDN, later)).toMatchObject({ token: root, hash, filename: 'Band & Tour.pdf' })
})

it('a signature is valid for one purpose, one text and one secret', () => {
  const signature = createSigner(secrets, 'start').sign('text')
  expect(createSigner(secrets, 'start').isSigned('text', signature)).toBe(true)
  expect(createSigner(secrets, 'open').isSigned('text', signature)).toBe(false)
  expect(createSigner(secrets, 'start').isSigned('text ', signature)).toBe(false)
  expect(createSigner(secrets, 'start').isSigned('text', signature.slice(1))).toBe(false)
  const next = createSecrets('another secret, of the same length or so')
  expect(createSigner(next, 'start').isSigned('text', signature)).toBe(false)
  const after = createSecrets('another secret, of the same length or so', { previous: [SECRET] })
  expect(createSigner(after, 'start').isSigned('text', signature)).toBe(true)
})
