// Opens the drop server, and logs what its operator should know.
import { X509Certificate } from 'node:crypto'
import { abortsOnCollection, hasNativeCrypto } from './native-crypto.ts'
import { openDropServer, type DropServer, type DropServerParts } from './server.ts'

export async function runDropServer(parts: DropServerParts): Promise<DropServer> {
  const { log, certificate } = parts
  const server = await openDropServer(parts)
  const { sftpPort, ftpPort } = server
  log.info('the drop server is ready', { sftpPort, ftpPort })
  if (!hasNativeCrypto())
    log.info('SFTP runs without ssh2’s native build: its uploads are a third slower', {
      node: process.version,
    })
  else if (abortsOnCollection())
    log.warn('ssh2’s native build can end the drop server when a client disconnects: npm rebuild', {
      node: process.version,
    })
  const { validTo } = certificate ? new X509Certificate(certificate.cert) : {}
  if (validTo && Date.parse(validTo) < Date.now())
    log.warn('the certificate of DROP_TLS_CERT has expired: FTP clients refuse it', {
      expired: validTo,
    })
  return server
}
