// Verbs with a data connection: listings, files that are sent and files that are read.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Socket } from 'node:net'
import { errorFields } from '../../../core/log.ts'
import { present } from '../../../core/lazy.ts'
import { DropError } from '../errors.ts'
import type { Transfer } from '../transfer.ts'
import { nameCodec, type NameCodec } from '../name-encodings.ts'
import { sessionOf, type State, type UnconfirmedFile, type Verb, DataError } from './state.ts'
import { factsOf, pathOf } from './folder-verbs.ts'
import { entriesAt, linesOf, listLine, withoutOptions } from './listings.ts'

/**
 * A client that disconnects closes its data connection in the same way as one that has sent
 * everything, so it must show within this time that it is connected.
 */
const CONFIRM_MS = 30_000
const ALIVE_MS = 1000
/** How many bytes of a refused file, and for how long, are read before its connection is closed. */
const MAX_DISCARDED = 64 * 1024 ** 2
const DISCARD_MS = 5000

/** The reply to a transfer for which no data connection can be opened; null: it can be opened. */
function dataRefusal(state: State): [code: number, text: string] | null {
  const { isEncrypted, dataEncrypted, passive } = state
  if (sessionOf(state).account.tls_required && !(isEncrypted && dataEncrypted))
    return [522, 'This account needs encrypted data connections: use PROT P']
  return passive.isReady() ? null : [425, 'Send EPSV or PASV first']
}

/**
 * Opens the data connection, runs `work` on it and replies; the connection is closed in any case.
 */
async function withData(
  state: State,
  work: (data: Socket) => Promise<void>,
  opening = 'Opening the data connection',
): Promise<void> {
  const refusal = dataRefusal(state)
  if (refusal) return state.reply(...refusal)
  state.reply(150, opening)
  const data = await state.passive.take(state.dataEncrypted ? state.secure : null)
  state.data = data
  try {
    await work(data)
    state.reply(226, 'Done')
  } catch (error) {
    data.destroy()
    if (error instanceof DropError) throw error
    state.reply(426, 'The data connection was interrupted')
  } finally {
    state.data = null
  }
}

/**
 * Receives the bytes of a data connection until it ends; rejects if it is reset. After a refusal
 * further bytes are discarded, up to a limit: if the connection were reset, the client would report
 * that instead of our reply.
 */
function receive(data: Socket, transfer: Transfer, from: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let position = from
  let failure: Error | null = null
  let discarded = 0
  const refuse = (bytes: number, reason: Error) => {
    discarded += bytes
    if (discarded > MAX_DISCARDED) reject(reason)
  }
  data.on('data', (chunk: Buffer) => {
    if (failure) return refuse(chunk.length, failure)
    const wait = transfer.write(position, chunk)
    position += chunk.length
    if (!wait) return
    data.pause()
    const failed = (error: Error) => {
      failure = error
      setTimeout(refuse, DISCARD_MS, Infinity, error).unref()
    }
    wait.catch(failed).finally(() => data.resume())
  })
  data.once('end', () => (failure ? reject(failure) : resolve(position)))
  // Has no effect after its end.
  data.once('close', () => reject(failure ?? new DataError('The data connection was interrupted')))
  data.resume()
  return promise
}

/**
 * The file is confirmed by the client's next command, or by a second in which the connection stays
 * open, so that an import in real time can start soon. If the connection is reset within the 30
 * seconds without a further command, the client had disconnected and the file is incomplete.
 */
function unconfirmedFile(state: State, entry: string): UnconfirmedFile {
  const { fs } = sessionOf(state)
  const warn = (error: unknown) =>
    state.options.log.warn('drop: a file could not be confirmed', errorFields(error))
  const unconfirmed: UnconfirmedFile = {
    confirm: (soon) => fs.confirm(entry, soon).catch(warn),
    markInterrupted: () => fs.markInterrupted(entry),
  }
  const still = () => state.unconfirmed === unconfirmed
  const alive = () => still() && !state.socket.destroyed && void unconfirmed.confirm(false)
  setTimeout(alive, ALIVE_MS).unref()
  setTimeout(() => still() && (state.unconfirmed = null), CONFIRM_MS).unref()
  return unconfirmed
}

async function store(state: State, argument: string, append: boolean): Promise<void> {
  const session = sessionOf(state)
  const path = pathOf(state, argument)
  const from = state.offset
  state.offset = 0
  // A refused transfer leaves the file of this name as it is: `openWrite` would empty it.
  const refusal = dataRefusal(state)
  if (refusal) return state.reply(...refusal)
  if (!append && from > 0 && from > (await sizeOf(state, path))) throw restTooFar()
  const keep = append || from > 0
  const transfer = await session.write(
    session.fs.openWrite(path, { mode: keep ? 'keep' : 'truncate' }),
  )
  await receiveFile(state, transfer, { from: append ? transfer.size() : from })
}

const restTooFar = () => new DropError('denied', 'REST is beyond the end of the file')

/** The size of a file in the folder; 0 if there is none, or if it was imported and has left it. */
const sizeOf = (state: State, path: string): Promise<number> =>
  sessionOf(state)
    .fs.stat(path)
    .then(
      ({ kind, state, size }) => (kind === 'file' && state === null ? 0 : size),
      (error: unknown) => {
        if (error instanceof DropError && error.code === 'not_found') return 0
        throw error
      },
    )

/**
 * Receives the bytes of a file. `from`: where the client's bytes begin; older bytes after it are
 * dropped.
 */
async function receiveFile(
  state: State,
  transfer: Transfer,
  { from, opening }: { from: number; opening?: string },
): Promise<void> {
  const session = sessionOf(state)
  try {
    if (from > transfer.size()) throw restTooFar()
    if (from > 0) await transfer.truncate(from)
    const begin = transfer.size()
    const work = async (data: Socket) => {
      const end = await receive(data, transfer, begin)
      const entry = await transfer.close()
      // A killed client closes both connections together, while the file is stored.
      if (state.isClosed || state.socket.readableEnded) return session.fs.markInterrupted(entry)
      session.received(end - begin)
      state.unconfirmed = unconfirmedFile(state, entry)
    }
    await withData(state, work, opening)
  } finally {
    // Does nothing after `close`.
    await transfer.abandon().catch(() => {})
  }
}

const MAX_UNIQUE = 100

/**
 * Stores a file under its name if that is free, or under the first free one with a number:
 * `list-2.csv`.
 */
async function storeUnique(state: State, argument: string): Promise<void> {
  const session = sessionOf(state)
  const [, stem = '', extension = ''] = /^(.*?)(\.[^./]*)?$/s.exec(argument || 'upload') ?? []
  const refusal = dataRefusal(state)
  if (refusal) return state.reply(...refusal)
  for (let n = 1; n <= MAX_UNIQUE; n++) {
    const name = n === 1 ? `${stem}${extension}` : `${stem}-${n}${extension}`
    try {
      const mode = { mode: 'truncate', exclusive: true } as const
      const transfer = await session.write(session.fs.openWrite(pathOf(state, name), mode))
      return await receiveFile(state, transfer, { from: 0, opening: `FILE: ${name}` })
    } catch (error) {
      if (!(error instanceof DropError) || error.code !== 'exists') throw error
    }
  }
  throw new DropError('exists')
}

async function retrieve(state: State, argument: string): Promise<void> {
  const from = state.offset
  state.offset = 0
  const file = await sessionOf(state).fs.openRead(pathOf(state, argument))
  try {
    await withData(state, async (data) => {
      if (from >= file.size) return void data.end()
      await pipeline(await file.stream(from), data)
    })
  } finally {
    await file.close()
  }
}

const sendLines = (state: State, pages: AsyncIterable<readonly string[]>): Promise<void> => {
  const { encode } = namesOf(state)
  const lines = async function* (): AsyncGenerator<Buffer> {
    for await (const page of pages) yield encode(page.map((line) => `${line}\r\n`).join(''))
  }
  return withData(state, (data) => pipeline(lines as unknown as () => Readable, data))
}

const listing =
  (lineOf: Parameters<typeof entriesAt>[2]): Verb =>
  async (state, argument) =>
    sendLines(state, await entriesAt(state, withoutOptions(argument), lineOf))

const listFacts: Verb = async (state, argument) => {
  const { fs } = sessionOf(state)
  const path = argument === '' ? state.folder : pathOf(state, argument)
  const { kind } = await fs.stat(path)
  if (kind === 'file') return state.reply(501, 'This is not a folder')
  await sendLines(
    state,
    linesOf(fs.list(path), (node) => `${factsOf(node)} ${node.name}`),
  )
}

async function passiveV4(state: State): Promise<void> {
  const own = state.options.passive.address ?? state.socket.localAddress
  const address = present(own, 'The address of this server').replace(/^::ffff:/, '')
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) return state.reply(425, 'Use EPSV over IPv6')
  const port = await state.passive.listen()
  state.reply(
    227,
    `Entering Passive Mode (${[...address.split('.'), port >> 8, port & 255].join(',')})`,
  )
}

async function passiveExtended(state: State, argument: string): Promise<void> {
  if (argument.toUpperCase() === 'ALL') return state.reply(200, 'OK')
  state.reply(229, `Entering Extended Passive Mode (|||${await state.passive.listen()}|)`)
}

/**
 * Files are stored as they arrive in every type but EBCDIC. Devices send the types with formats and
 * sizes of their own (`I N`, `A T`, `L 7`), or with a space after them, and give up if one is
 * refused.
 */
const TYPES = /^(?:I|A|L)(?: ?[\dNTC]{1,2})? *$/i

const oneOf =
  (allowed: RegExp, text: string): Verb =>
  ({ reply }, argument) =>
    allowed.test(argument) ? reply(200, 'OK') : reply(504, text)

export const TRANSFER_VERBS: Readonly<Record<string, Verb>> = {
  PASV: passiveV4,
  EPSV: passiveExtended,
  TYPE: oneOf(TYPES, 'Only TYPE I and TYPE A are supported'),
  MODE: oneOf(/^S *$/i, 'Only MODE S is supported'),
  STRU: oneOf(/^F *$/i, 'Only STRU F is supported'),
  REST: (state, argument) => {
    if (!/^\d{1,15}$/.test(argument)) return state.reply(501, 'Send REST and a number')
    state.offset = Number(argument)
    state.reply(350, 'The next transfer begins there')
  },
  // Some cameras take 202 for a refusal.
  ALLO: ({ reply }) => reply(200, 'Not needed'),
  STOR: (state, argument) => store(state, argument, false),
  APPE: (state, argument) => store(state, argument, true),
  STOU: storeUnique,
  RETR: retrieve,
  LIST: listing(listLine),
  // With the folder of a pattern: `mget scans/*.pdf` sends RETR with these names.
  NLST: listing(({ name }, folder) => folder + name),
  MLSD: listFacts,
  ABOR: ({ reply }) => reply(226, 'No transfer is running any more'),
}

// How names are written in one control connection.

/** The encoding of names: as the client has shown, or as its account says. */
export const namesOf = ({ session, sendsUtf8 }: State): NameCodec =>
  nameCodec(sendsUtf8 ? 'utf-8' : (session?.account.name_encoding ?? 'utf-8'))

/** Decodes a line. A client that sends UTF-8 once gets UTF-8 from then on. */
export function readLine(state: State, line: Buffer): string {
  const text = namesOf(state).decode(line)
  const isAscii = line.every((byte) => byte < 128)
  if (!isAscii && text === nameCodec('utf-8').decode(line)) state.sendsUtf8 = true
  return text
}
