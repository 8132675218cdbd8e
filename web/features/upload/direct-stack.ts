// The uploader's requests. If the server allows it, the bytes of a PATCH request go straight to the
// bucket, piece by piece: for the uploader it is one request that ends at the new offset.
import { type HttpRequest, type HttpResponse, type HttpStack } from 'tus-js-client'
import { type Schemas } from '../../shell/client/types.ts'

/** After so many failures in a row the bytes go to the server: a network may block the bucket. */
const FAILURES = 3

/** What the requests of one uploader share. */
interface DirectState {
  plain: HttpStack
  token: () => Promise<string>
  /** Ids of uploads whose bytes the bucket takes. */
  direct: Set<string>
  /** Failures in a row. */
  failures: number
}

export function directStack(plain: HttpStack, token: () => Promise<string>): HttpStack {
  const state: DirectState = { plain, token, direct: new Set(), failures: 0 }
  const { direct } = state
  const noteAnswer = (url: string, answer: HttpResponse): HttpResponse => {
    if (answer.getHeader('Upload-Direct') === '1')
      direct.add(idIn(answer.getHeader('Location') ?? url))
    return answer
  }
  return {
    getName: () => 'DirectStack',
    createRequest: (method, url) => {
      const request = plain.createRequest(method, url)
      if (method === 'PATCH' && direct.has(idIn(url)) && state.failures < FAILURES)
        return withSend(request, directSend(state, url, request))
      const send = async (body: unknown) => noteAnswer(url, await request.send(body))
      return withSend(request, { send, abort: () => request.abort() })
    },
  }
}

/** Sends the body of a PATCH request to the bucket. */
function directSend(stack: DirectState, url: string, request: HttpRequest): RequestSender {
  let running: HttpRequest | null = null
  let progress: (sent: number) => void = () => undefined
  const ask = async (): Promise<HttpResponse> => {
    running = stack.plain.createRequest('POST', `${url}/pieces`)
    running.setHeader('authorization', `Bearer ${await stack.token()}`)
    running.setHeader('content-type', 'application/json')
    const on_conflict = request.getHeader('upload-on-conflict')
    return running.send(JSON.stringify(on_conflict ? { on_conflict } : {}))
  }
  const put = async (to: string, bytes: Bytes, before: number): Promise<void> => {
    running = stack.plain.createRequest('PUT', to)
    running.setProgressHandler((sent) => progress(before + sent))
    const status = await running.send(bytes).then((answer) => answer.getStatus(), fail)
    if (status < 200 || status > 299) fail(new Error(`The bucket answered ${status}`))
    stack.failures = 0
  }
  const fail = (error: unknown): never => {
    stack.failures += 1
    throw error
  }
  const send = async (body: Bytes): Promise<HttpResponse> => {
    const first = Number(request.getHeader('Upload-Offset'))
    let sent = -1
    while (true) {
      const answer = await ask()
      if (answer.getStatus() !== 200) return answer
      const { offset, piece } = JSON.parse(answer.getBody()) as Schemas['UploadPiece']
      const at = offset - first
      if (!piece || at + piece.size_bytes > body.size) {
        // Bytes that the bucket does not take go to the server.
        if (at < body.size) stack.direct.delete(idIn(url))
        return atOffset(answer, offset)
      }
      if (at < 0 || at <= sent) throw new Error('The piece has not arrived')
      progress(at)
      await put(piece.url, body.slice(at, at + piece.size_bytes), at)
      sent = at
    }
  }
  return {
    send: (body) => send(body as Bytes),
    abort: async () => running?.abort(),
    onProgress: (handler) => void (progress = handler),
  }
}

/** The id in an upload's address, which may be relative. */
const idIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

/** A Blob of the browser, or the buffer that stands for it elsewhere. */
interface Bytes {
  size: number
  slice(start: number, end: number): Bytes
}

interface RequestSender {
  send(body: unknown): Promise<HttpResponse>
  abort(): Promise<void>
  onProgress?: (handler: (sent: number) => void) => void
}

const withSend = (
  request: HttpRequest,
  { send, abort, onProgress }: RequestSender,
): HttpRequest => ({
  getMethod: () => request.getMethod(),
  getURL: () => request.getURL(),
  setHeader: (name, value) => request.setHeader(name, value),
  getHeader: (name) => request.getHeader(name),
  setProgressHandler: (handler) =>
    onProgress ? onProgress(handler) : request.setProgressHandler(handler),
  send,
  abort,
  getUnderlyingObject: () => request.getUnderlyingObject(),
})

/** The answer to PATCH that the uploader expects. */
const atOffset = (answer: HttpResponse, offset: number): HttpResponse => ({
  getStatus: () => 204,
  getHeader: (name) =>
    name.toLowerCase() === 'upload-offset' ? String(offset) : answer.getHeader(name),
  getBody: () => '',
  getUnderlyingObject: () => answer.getUnderlyingObject(),
})
