// Another program that a step of a workflow calls, on a real socket. It verifies each request as the
// documents tell, and answers as the test says.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { CallData, CalledFile } from '../../server/features/calls/request.ts'

export interface ProgramRequest {
  id: string
  headers: IncomingMessage['headers']
  data: CallData
}

/** An object is sent as JSON with the status 200; a function answers by itself. */
type Reply = object | ((response: ServerResponse) => void)

export interface Program {
  url: string
  /** Verifies the next requests. */
  secret: string
  requests: ProgramRequest[]
  answer: (request: ProgramRequest) => Reply | Promise<Reply>
  close(): Promise<void>
}

/** An entry for each file of a request. */
export const entries = (
  { data }: ProgramRequest,
  entryOf: (file: CalledFile, at: number) => object,
): object => ({ files: data.files.map((file, at) => ({ key: file.key, ...entryOf(file, at) })) })

export async function startProgram(): Promise<Program> {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const { headers } = request
      new Webhook(program.secret).verify(body, headers as Record<string, string>)
      const { data } = JSON.parse(body) as { data: CallData }
      const received = { id: String(headers['webhook-id']), headers, data }
      program.requests.push(received)
      const reply = await program.answer(received)
      if (typeof reply === 'function') reply(response)
      else
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const program: Program = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/label?token=t0p`,
    secret: '',
    requests: [],
    answer: (request) => entries(request, () => ({ unchanged: true })),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return program
}
