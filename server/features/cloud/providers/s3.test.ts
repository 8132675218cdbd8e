import { expect, test } from 'vitest'
import { guardedDial } from '../proxy.ts'
import { endpointProblem } from './s3.ts'

test.each([
  'https://s3.example.com',
  'https://minio.example.com:9000',
  'https://93.184.216.34:1024',
  'https://minio.example.com:443/path',
])('%s is an endpoint', (endpoint) => {
  expect(endpointProblem(endpoint, false)).toBeNull()
})

test.each([
  // Ports of mail, shells and databases are not storage.
  'https://93.184.216.34:25',
  'https://s3.example.com:1023',
  'https://10.0.0.1:9000',
  'https://[fd00::1]:9000',
  'https://169.254.169.254:9000',
  'https://127.0.0.1:9000',
  'https://localhost:9000',
])('%s is not an endpoint', (endpoint) => {
  expect(endpointProblem(endpoint, false)).toBe('This address cannot be used')
})

test('if loopback is allowed, it may have any port, and a public address may not', () => {
  expect(endpointProblem('http://127.0.0.1:81', true)).toBeNull()
  expect(endpointProblem('https://93.184.216.34:25', true)).toBe('This address cannot be used')
})

test.each([
  ['10.0.0.1', 9000],
  ['127.0.0.1', 9000],
  ['93.184.216.34', 25],
])('no tunnel is opened to %s, port %i', (host, port) => {
  expect(() => guardedDial(host, port)).toThrow('blocked')
})

test('a host name with a port is looked up under the address guard', async () => {
  const socket = guardedDial('localhost', 9000)
  const refused = await new Promise<Error>((resolve) => socket.once('error', resolve))
  expect(refused).toMatchObject({ name: 'PortError' })
})
