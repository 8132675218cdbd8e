// An OpenTelemetry collector on a real socket: it decodes what is posted to /v1/traces (OTLP,
// protobuf) with the field numbers of opentelemetry/proto/trace/v1/trace.proto.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

export interface ReceivedSpan {
  trace: string
  span: string
  /** Empty: it begins its trace. */
  parent: string
  name: string
  kind: number
  failed: boolean
  /** Nanoseconds. */
  begun: bigint
  ended: bigint
  fields: Record<string, string | number | boolean>
  /** The attributes of the process. */
  resource: Record<string, string | number | boolean>
}

export interface Collector {
  url: string
  spans: ReceivedSpan[]
  headers: Record<string, string | string[] | undefined>[]
  /** Answers that it cannot work now. */
  refuse(refused: boolean): void
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const headers: Collector['headers'] = []
  let refused = false
  const server = createServer((request, response) => {
    void buffer(request).then((sent) => {
      if (refused || request.url !== '/v1/traces')
        return void response.writeHead(refused ? 503 : 404).end()
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      headers.push(request.headers)
      spans.push(...spansOf(body))
      return void response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    refuse: (value) => void (refused = value),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Value = bigint | Buffer
type Message = Map<number, Value[]>

/** The fields of a message by their number. */
function read(bytes: Buffer): Message {
  const fields: Message = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => bytes.subarray(at, (at += length))
  while (at < bytes.length) {
    const key = Number(varint())
    const wire = key & 7
    const value =
      wire === 0
        ? varint()
        : wire === 1
          ? take(8).readBigUInt64LE()
          : take(wire === 5 ? 4 : Number(varint()))
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value])
  }
  return fields
}

const messages = (of: Message, field: number) =>
  (of.get(field) ?? []).map((value) => read(value as Buffer))
const one = (of: Message, field: number) => of.get(field)?.[0]
const hex = (of: Message, field: number) => (one(of, field) as Buffer | undefined)?.toString('hex')
const number = (of: Message, field: number) => Number((one(of, field) as bigint | undefined) ?? 0)

function spansOf(body: Buffer): ReceivedSpan[] {
  return messages(read(body), 1).flatMap((resource) => {
    const about = messages(resource, 1).map((each) => fieldsOf(each, 1))
    return messages(resource, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((span) => ({
        trace: hex(span, 1) ?? '',
        span: hex(span, 2) ?? '',
        parent: hex(span, 4) ?? '',
        name: String(one(span, 5)),
        kind: number(span, 6),
        failed: messages(span, 15).some((status) => number(status, 3) === 2),
        begun: one(span, 7) as bigint,
        ended: one(span, 8) as bigint,
        fields: fieldsOf(span, 9),
        resource: Object.assign({}, ...about) as ReceivedSpan['resource'],
      }))
  })
}

function fieldsOf(message: Message, field: number): ReceivedSpan['fields'] {
  return Object.fromEntries(
    messages(message, field).map((pair) => [String(one(pair, 1)), valueOf(messages(pair, 2)[0]!)]),
  )
}

function valueOf(any: Message): string | number | boolean {
  if (any.has(1)) return String(one(any, 1))
  return any.has(2) ? one(any, 2) === 1n : number(any, 3)
}
