// `api`: any request, for everything that has no command.
import { readFile } from 'node:fs/promises'
import { textOption, type Command, type Context } from './context.ts'
import { EXIT, UsageError } from './exit.ts'
import { safeJson } from './terminal.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export const apiCommand: Command = {
  about: 'any request of the API',
  help: `stevedore api METHOD /path [--data JSON | @FILE | -] [options]

Writes the answer to the standard output. Exit code 1 if it is an error.

  --data JSON      the body: a text, @FILE, or - for the standard input
  --type TYPE      of the body (application/json)
  --header 'A: b'  more than once for several

  stevedore api GET '/api/files?limit=1'
  stevedore api PATCH /api/files/file_0199… --data '{"tags": ["spring"]}'

The address of this installation with /api/docs describes all requests.`,
  options: {
    data: { type: 'string' },
    type: { type: 'string' },
    header: { type: 'string', multiple: true },
  },
  run: async (context) => {
    const { given, client, requests, terminal, values } = context
    const [method = '', at = ''] = given
    const verb = method.toUpperCase()
    if (!METHODS.includes(verb)) throw new UsageError(`METHOD is one of ${METHODS.join(', ')}`)
    if (!at.startsWith('/') || !requests.addressOf(at))
      throw new UsageError('Give a path that begins with one /')
    const data = await dataOf(context)
    const headers = new Headers(headersOf(values))
    if (data !== undefined)
      headers.set('Content-Type', textOption(values, 'type') ?? 'application/json')
    const response = await client.fetch(at, {
      method: verb,
      headers,
      ...(data === undefined ? {} : { body: data }),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    if (bytes.length > 0)
      terminal.raw(isJson && terminal.isOutTerminal ? pretty(bytes) : withEnd(bytes, isJson))
    if (!response.ok) terminal.note(`${verb} ${at}: status ${response.status}`)
    if (response.ok) return EXIT.all
    return response.status === 401 || response.status === 403 ? EXIT.wrong : EXIT.some
  },
}

const pretty = (bytes: Uint8Array) =>
  `${safeJson(JSON.parse(new TextDecoder().decode(bytes)), 2)}\n`

const withEnd = (bytes: Uint8Array, isJson: boolean) =>
  isJson ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes

async function dataOf({ values, readInput }: Context): Promise<string | undefined> {
  const data = textOption(values, 'data')
  if (data === '-') return readInput()
  if (!data?.startsWith('@')) return data
  return readFile(data.slice(1), 'utf8').catch(() => {
    throw new UsageError(`There is no file ${data.slice(1)}`)
  })
}

function headersOf({ header }: Context['values']): [string, string][] {
  return [header ?? []].flat().map((one) => {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(String(one)) ?? []
    if (name === '') throw new UsageError(`--header is 'Name: value', and not ${String(one)}`)
    return [name, value]
  })
}
