// The drop server as a separate process.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import { hasNativeCrypto } from '../channels/drop/native-crypto.ts'
import { openDropServer } from '../channels/drop/server.ts'
import type { Certificate } from '../channels/drop/shared-secrets.ts'
import type { TransferParts } from '../channels/drop/transfer.ts'
import type { Closing } from './closing.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { openListener } from '../db/listener.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import { openForStart } from './database.ts'
import { openStores } from './stores.ts'

interface DropParts extends Omit<TransferParts, 'staging' | 'waker' | 'confirmations'> {
  environment: Environment
  secrets: Secrets
}

/** Throws `ConfigError`. */
export async function startDrop(
  { environment, limits, storage }: Config,
  log: Logger,
  closings: Closing[],
): Promise<void> {
  const { database, secrets, close } = await openForStart(environment, log)
  closings.push(close)
  const listener = await openListener(database.url, log)
  closings.push(() => listener.close())
  const stores = await openStores(storage, log)
  closings.push(await runDrop({ environment, limits, database, stores, listener, secrets, log }))
}

async function runDrop({ environment, ...parts }: DropParts): Promise<() => Promise<void>> {
  const { host, dataDir, drop } = environment
  if (!hasNativeCrypto())
    parts.log.warn('SFTP runs without ssh2’s native build, transfers are slower: npm rebuild', {
      node: process.version,
    })
  const server = await openDropServer({
    ...parts,
    staging: path.join(dataDir, 'drop'),
    ...{ host, sftpPort: drop.sftpPort, ftpPort: drop.ftpPort, publicHost: drop.host },
    certificate: drop.tls && (await readCertificate(drop.tls)),
    passive: { ports: drop.passivePorts, address: drop.passiveAddress },
  })
  const { sftpPort, ftpPort } = server
  parts.log.info('the drop server is ready', { sftpPort, ftpPort })
  process.send?.({ sftpPort, ftpPort })
  // Its parent is gone, so nothing would stop it.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // The channel to the parent must not keep a stopped process alive.
  process.channel?.unref()
  return () => server.close()
}

async function readCertificate(files: { cert: string; key: string }): Promise<Certificate> {
  const certificate = {
    cert: await pem('DROP_TLS_CERT', files.cert),
    key: await pem('DROP_TLS_KEY', files.key),
  }
  try {
    createSecureContext(certificate)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError([
      `DROP_TLS_CERT, DROP_TLS_KEY: set a certificate in PEM and its key without a password (${why})`,
    ])
  }
  return certificate
}

async function pem(setting: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`${setting}: ${file} can’t be read (${error.code})`])
  })
  if (!/-----BEGIN [A-Z ]+-----/.test(text))
    throw new ConfigError([`${setting}: ${file} is not a PEM file`])
  return text
}
