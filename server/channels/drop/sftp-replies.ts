// The replies to the requests of one SFTP channel: one for each, and none after the channel's end.
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { errorFields, type Logger } from '../../log.ts'
import { DropError, faultOf, type DropCode } from './errors.ts'

const { STATUS_CODE } = ssh2.utils.sftp

const STATUS: Partial<Record<DropCode, number>> = {
  not_found: STATUS_CODE.NO_SUCH_FILE,
  denied: STATUS_CODE.PERMISSION_DENIED,
  busy: STATUS_CODE.PERMISSION_DENIED,
}

interface Channel {
  _protocol: { exitStatus(channel: number, status: number): void }
  outgoing: { id: number }
}

/** What a request has sent, if it sent more than OK. */
type Sent = true

export interface SftpReplies {
  /** Sends OK, unless `work` has sent a reply; its error is sent too. */
  answer(id: number, work: () => Promise<Sent | void>): void
  ok(id: number): void
  failed(id: number, error: unknown): void
  unsupported(id: number, message?: string): void
  handle(id: number, name: Buffer): Sent
  data(id: number, data: Buffer): Sent
  attributes(id: number, attributes: Attributes): Sent
  /** Empty: the list has ended. */
  names(id: number, entries: readonly FileEntry[]): Sent
  /** Ends the channel; false: it had ended. */
  end(): boolean
}

export function createSftpReplies(sftp: SFTPWrapper, log: Logger): SftpReplies {
  let ended = false
  const send = (reply: () => void): Sent => {
    if (!ended) reply()
    return true
  }
  const ok = (id: number) => void send(() => sftp.status(id, STATUS_CODE.OK))
  const failed = (id: number, error: unknown) => {
    if (ended) return
    const fault = faultOf(error)
    if (fault !== null) log.warn('drop: an SFTP request failed', errorFields(fault))
    const known = error instanceof DropError ? error : new DropError('unavailable')
    sftp.status(id, STATUS[known.code] ?? STATUS_CODE.FAILURE, known.message)
  }
  return {
    ok,
    failed,
    answer: (id, work) =>
      void work().then(
        (sent) => sent === true || ok(id),
        (error: unknown) => failed(id, error),
      ),
    unsupported: (id, message) =>
      void send(() => sftp.status(id, STATUS_CODE.OP_UNSUPPORTED, message)),
    handle: (id, name) => send(() => sftp.handle(id, name)),
    data: (id, data) =>
      send(() => (data.length === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.data(id, data))),
    attributes: (id, attributes) => send(() => sftp.attrs(id, attributes)),
    names: (id, entries) =>
      send(() =>
        entries.length === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.name(id, [...entries]),
      ),
    end: () => {
      if (ended) return false
      ended = true
      endChannel(sftp)
      return true
    },
  }
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
