import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openAccessLog } from './access-log.ts'

test('a line has the route of its request, and nothing of its address', async () => {
  const lines: object[] = []
  const log = openAccessLog({ info: (message, fields) => void lines.push({ message, ...fields }) })
  const server = createServer((request, response) => {
    log.begin(request, response, request.method ?? '')
    if (request.url?.startsWith('/download')) log.setRoute(response, '/download')
    response.writeHead(404).end('not found')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const answers = [await fetch(`${url}/download?key=canary`), await fetch(`${url}/canary`)]
  await Promise.all(answers.map((answer) => answer.text()))
  await expect.poll(() => lines).toHaveLength(2)
  expect(lines).toMatchObject(
    ['/download', 'other'].map((route, at) => ({
      message: 'request',
      method: 'GET',
      route,
      status: 404,
      complete: true,
      request_id: answers[at]!.headers.get('x-request-id'),
    })),
  )
  expect(JSON.stringify(lines)).not.toContain('canary')
})
