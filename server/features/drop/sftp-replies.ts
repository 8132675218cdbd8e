// The replies to the requests of one SFTP channel: one for each, and none after the channel's end.
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { errorFields, type Logger } from '../../core/log.ts'
import { countError, type Refusals } from './refusals.ts'
import { DropError, faultOf, type DropCode } from './errors.ts'

const { STATUS_CODE } = ssh2.utils.sftp

const STATUS: Partial<Record<DropCode, number>> = {
  not_found: STATUS_CODE.NO_SUCH_FILE,
  denied: STATUS_CODE.PERMISSION_DENIED,
  busy: STATUS_CODE.PERMISSION_DENIED,
}

interface Channel {
  _protocol: {
    exitStatus(channel: number, status: number): void
    channelData(channel: number, payload: Buffer): void
  }
  outgoing: { id: number; window: number }
  /** Replies that the client's window has no room for. */
  _buffer: unknown[]
}

/** The maximum number of running requests, and of replies that the client does not take. */
const MAX_RUNNING = 1024
const MAX_UNSENT = 256
const EXTENDED_REPLY = 201

/** The result of a request that has sent its reply itself. */
type SentReply = true

export interface SftpReplies {
  /**
   * Sends OK, unless `work` has sent a reply; its error is sent too.
   * @param order `alone`: it changes names, see `RequestOrder`
   */
  answer(id: number, work: () => Promise<SentReply | void>, order?: keyof RequestOrder): void
  ok(id: number): void
  failed(id: number, error: unknown): void
  unsupported(id: number, message?: string): void
  handle(id: number, name: Buffer): SentReply
  data(id: number, data: Buffer): SentReply
  attributes(id: number, attributes: Attributes): SentReply
  /** The reply to an extension's request. */
  extended(id: number, data: Buffer): SentReply
  /** Sends a part of a listing; empty: the list has ended. */
  names(id: number, entries: readonly FileEntry[]): SentReply
  /** Ends the channel; false: it had ended. */
  end(): boolean
  hasEnded(): boolean
}

/**
 * Creates the replies of a channel. Calls `flooded` if the client sends requests, and does not wait
 * for the replies or does not take them.
 */
export function createSftpReplies(
  sftp: SFTPWrapper,
  { log, refusals, flooded }: { log: Logger; refusals: Refusals; flooded: () => void },
): SftpReplies {
  const channel = sftp as unknown as Channel
  const order = createRequestOrder()
  let ended = false
  let running = 0
  const send = (reply: () => void): SentReply => {
    if (!ended) reply()
    if (channel._buffer.length > MAX_UNSENT) flooded()
    return true
  }
  const ok = (id: number) => void send(() => sftp.status(id, STATUS_CODE.OK))
  const report = reporterOf(log, refusals)
  const failed = (id: number, error: unknown) => {
    if (ended) return
    report(error)
    const known = error instanceof DropError ? error : new DropError('unavailable')
    sftp.status(id, STATUS[known.code] ?? STATUS_CODE.FAILURE, known.message)
  }
  return {
    ok,
    failed,
    answer: (id, work, how = 'beside') => {
      if (ended) return
      if (++running > MAX_RUNNING) flooded()
      void order[how](work)
        .then(
          (sent) => sent === true || ok(id),
          // A file that its client has closed before it left may fail after the channel's end.
          (error: unknown) => (ended ? report(error) : failed(id, error)),
        )
        .finally(() => running--)
    },
    unsupported: (id, message) =>
      void send(() => sftp.status(id, STATUS_CODE.OP_UNSUPPORTED, message)),
    handle: (id, name) => send(() => sftp.handle(id, name)),
    data: (id, data) =>
      send(() => (data.length === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.data(id, data))),
    attributes: (id, attributes) => send(() => sftp.attrs(id, attributes)),
    extended: (id, data) =>
      send(() => {
        if (!sendExtended(channel, id, data)) sftp.status(id, STATUS_CODE.FAILURE)
      }),
    names: (id, entries) =>
      send(() =>
        entries.length === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.name(id, [...entries]),
      ),
    hasEnded: () => ended,
    end: () => {
      if (ended) return false
      ended = true
      endChannel(sftp)
      return true
    },
  }
}

/** Counts and logs the errors of requests. */
const reporterOf = (log: Logger, refusals: Refusals) => (error: unknown) => {
  countError(refusals, error)
  const fault = faultOf(error)
  if (fault !== null) log.warn('drop: an SFTP request failed', errorFields(fault))
}

/**
 * Sends the reply to an extension's request, for which ssh2 has no method. False: the client's
 * window has no room for it.
 */
function sendExtended(channel: Channel, id: number, data: Buffer): boolean {
  const head = Buffer.alloc(9)
  head.writeUInt32BE(5 + data.length)
  head[4] = EXTENDED_REPLY
  head.writeUInt32BE(id, 5)
  const packet = Buffer.concat([head, data])
  const { outgoing } = channel
  if (channel._buffer.length > 0 || outgoing.window < packet.length) return false
  outgoing.window -= packet.length
  channel._protocol.channelData(outgoing.id, packet)
  return true
}

/**
 * Clients wait for the channel's end; scp also treats a missing exit status as a failure, and ssh2
 * has no method for it here.
 */
function endChannel(sftp: SFTPWrapper): void {
  const { _protocol: protocol, outgoing } = sftp as unknown as Channel
  protocol.exitStatus(outgoing.id, 0)
  sftp.end()
}

// The order of the requests of one SFTP channel. Clients send further requests before they have the
// replies: folders in folders, a rename after a close. They must see the results as if each had waited
// for the one before it (draft-ietf-secsh-filexfer-02, 3).

type Work<T> = () => Promise<T>

interface RequestOrder {
  /** Runs after the earlier requests that change names, and beside others. */
  beside<T>(work: Work<T>): Promise<T>
  /** Runs after all earlier requests and before all later ones: it changes names. */
  alone<T>(work: Work<T>): Promise<T>
}

export function createRequestOrder(): RequestOrder {
  /** The last request that runs alone, with all before it; null: none is running. */
  let last: Promise<unknown> | null = null
  /** The requests since then. */
  const running = new Set<Promise<unknown>>()
  const settled = (promise: Promise<unknown>) => promise.catch(() => {})
  return {
    beside: (work) => {
      const result = last ? last.then(work) : work()
      const end = settled(result)
      running.add(end)
      void end.then(() => running.delete(end))
      return result
    },
    alone: (work) => {
      const earlier = [last, ...running].filter((one) => one !== null)
      running.clear()
      const result = earlier.length > 0 ? Promise.all(earlier).then(work) : work()
      const end = settled(result)
      last = end
      void end.then(() => {
        if (last === end) last = null
      })
      return result
    },
  }
}
