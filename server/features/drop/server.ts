// The drop server of one process: SFTP and FTP on one file system. Any number of processes share a
// database and a store.
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Certificate } from '../../core/configuration/drop-settings.ts'
import { errorFields } from '../../core/log.ts'
import { portProblem, type WantedPort } from '../../core/port-problem.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/present.ts'
import { WholeBlobs } from '../../files/whole-blobs.ts'
import type { FtpOptions } from './ftp/options.ts'
import { createFtpServer } from './ftp/ftp-server.ts'
import { createRefusals } from './refusals.ts'
import { createUnsignedPlaces } from './unsigned-places.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from './connection-limits.ts'
import { createConfirmations } from './confirmations.ts'
import { createWaker } from './wake.ts'
import { recoverTransfers } from './recovery.ts'
import { createSessions } from './sessions.ts'
import { createSftpServer } from './sftp.ts'
import { hostKeys, ownCertificate } from './shared-secrets.ts'
import { createSignIn } from './sign-in.ts'
import type { TransferParts } from './transfer.ts'
import { openTransfers } from './transfers.ts'

export interface DropServerParts extends Omit<TransferParts, 'waker' | 'confirmations' | 'blobs'> {
  secrets: Secrets
  /** The address on which the server listens. */
  host: string
  sftpPort: number
  ftpPort: number
  /** The host to which merchants connect; a generated certificate is for it. */
  publicHost: string
  /** The certificate of FTP over TLS; null: one is generated. */
  certificate: Certificate | null
  passive: FtpOptions['passive']
  connectionLimits?: ConnectionLimits
}

export interface DropServer {
  sftpPort: number
  ftpPort: number
  close(): Promise<void>
}

const RECOVER_EVERY_MS = 60_000

export async function openDropServer(given: DropServerParts): Promise<DropServer> {
  const { database, secrets, log } = given
  const waker = createWaker(database, log)
  const blobs = new WholeBlobs({ ...given, clock: () => new Date() })
  const parts = { ...given, blobs, waker, confirmations: createConfirmations(database, waker) }
  const keys = await hostKeys(database, secrets)
  const certificate =
    parts.certificate ?? (await ownCertificate(database, secrets, parts.publicHost))
  const transfers = await openTransfers(parts)
  const recover = () =>
    recoverTransfers(parts).then(
      (count) => void (count > 0 && log.info('drop: kept interrupted transfers', { count })),
      (error: unknown) => log.warn('drop: recovery failed', errorFields(error)),
    )
  await recover()
  const timer = setInterval(() => void recover(), RECOVER_EVERY_MS)
  const { connectionLimits = CONNECTION_LIMITS } = given
  const refusals = createRefusals(database, log)
  const sessions = createSessions({ ...parts, connectionLimits, refusals }, transfers)
  const signIn = createSignIn(database, log, refusals)
  const places = createUnsignedPlaces(connectionLimits, refusals)
  const about = { signIn, sessions, log, limits: connectionLimits, places, refusals }
  const sftp = createSftpServer({ ...about, hostKeys: keys })
  const ftp = createFtpServer({ ...about, certificate, passive: parts.passive })
  const sockets = [sftp, ftp].map(socketsOf)
  const close = async () => {
    clearInterval(timer)
    const closed = [sftp, ftp].map((server) => new Promise((resolve) => server.close(resolve)))
    await sessions.close()
    await transfers.close()
    // Sockets of clients that have not signed in belong to no session.
    for (const socket of sockets.flatMap((open) => [...open])) socket.destroySoon()
    await Promise.all(closed)
    await refusals.close()
  }
  try {
    const { host } = parts
    const [sftpPort, ftpPort] = await listenAll([
      { server: sftp, port: parts.sftpPort, host, setting: 'SFTP_PORT' },
      { server: ftp, port: parts.ftpPort, host, setting: 'FTP_PORT' },
    ])
    return {
      sftpPort: present(sftpPort, 'The port of SFTP'),
      ftpPort: present(ftpPort, 'The port of FTP'),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function socketsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

interface ListenAddress extends WantedPort {
  server: Server
}

/** Listens on all ports. The error names every port that cannot be used, not only the first. */
async function listenAll(all: readonly ListenAddress[]): Promise<number[]> {
  const done = await Promise.allSettled(all.map(listenOn))
  const problems = done.flatMap((one) =>
    one.status === 'rejected' ? [(one.reason as Error).message] : [],
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return all.map(({ server }) => (server.address() as AddressInfo).port)
}

async function listenOn({ server, ...wanted }: ListenAddress): Promise<void> {
  server.listen(wanted.port, wanted.host)
  await once(server, 'listening').catch((error: unknown) => {
    throw new Error(portProblem(error, wanted), { cause: error })
  })
}
