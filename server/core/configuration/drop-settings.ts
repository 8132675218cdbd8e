// The settings of the drop server. Its certificate is read here, so that `npm start` names a bad
// one before anything starts.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import type { EnvironmentVariables } from './environment-schema.ts'

/** How merchants reach the drop server, and when the files of a new shop are imported. */
export interface DropAddress {
  host: string
  sftpPort: number
  ftpPort: number
  /** The schedule that a shop begins with, if its plan has real time. */
  schedule: 'hourly' | 'realtime'
}

/** A certificate with its chain, and its key, both in PEM. */
export interface Certificate {
  cert: string
  key: string
}

export interface DropEnvironment extends DropAddress {
  /** The folder of files that clients are sending. */
  staging: string
  /** The range of passive ports; null: any port may be used. */
  passivePorts: { first: number; last: number } | null
  /** The address that passive mode announces; null: the one to which the client connected. */
  passiveAddress: string | null
  /** The TLS certificate; null: one is generated. */
  certificate: Certificate | null
}

/** Adds problems to `problems`. Without the role `drop`, nothing is read or checked. */
export function readDropSettings(
  env: EnvironmentVariables,
  dataDir: string,
  problems: string[],
): DropEnvironment {
  const { FTP_PASSIVE_PORTS: ports, DROP_TLS_CERT: cert, DROP_TLS_KEY: key } = env
  const isHere = env.ROLE.includes('drop')
  if (isHere) problems.push(...portProblems(env))
  return {
    staging: env.DROP_DIR ? path.resolve(env.DROP_DIR) : path.join(dataDir, 'drop'),
    host: env.DROP_HOST ?? (env.BASE_URL ? new URL(env.BASE_URL).hostname : env.HOST),
    sftpPort: env.SFTP_PORT,
    ftpPort: env.FTP_PORT,
    schedule: env.DROP_SCHEDULE,
    passivePorts: ports ? { first: ports[0], last: ports[1] } : null,
    passiveAddress: env.FTP_PASSIVE_ADDRESS ?? null,
    certificate:
      isHere && cert && key
        ? readCertificate(path.resolve(cert), path.resolve(key), problems)
        : null,
  }
}

function portProblems(env: EnvironmentVariables): string[] {
  const { SFTP_PORT, FTP_PORT, FTP_PASSIVE_PORTS: passive } = env
  const own = { SFTP_PORT, FTP_PORT, ...(env.ROLE.includes('web') ? { PORT: env.PORT } : {}) }
  const fixed = Object.entries(own).filter(([, port]) => port !== 0)
  const problems = fixed.flatMap(([name, port], at) =>
    fixed
      .slice(0, at)
      .filter(([, other]) => other === port)
      .map(([other]) => `${other} and ${name}: set two different ports, both are ${port}`),
  )
  if (!passive) return problems
  const [first, last] = passive
  const inside = fixed.filter(([, port]) => first <= port && port <= last)
  return [
    ...problems,
    ...inside.map(([name]) => `FTP_PASSIVE_PORTS: set a range that does not contain ${name}`),
  ]
}

function readCertificate(certFile: string, keyFile: string, problems: string[]) {
  const certificate = {
    cert: readPem('DROP_TLS_CERT', certFile, problems),
    key: readPem('DROP_TLS_KEY', keyFile, problems),
  }
  if (certificate.cert === '' || certificate.key === '') return null
  const found = certificateProblems(certificate, certFile, keyFile)
  problems.push(...found)
  return found.length === 0 ? certificate : null
}

/** The PEM text of the file; empty, with a problem, if it cannot be used. */
function readPem(setting: string, file: string, problems: string[]): string {
  try {
    const text = readFileSync(file, 'utf8')
    if (/-----BEGIN [A-Z ]+-----/.test(text)) return text
    problems.push(`${setting}: ${file} is not a PEM file`)
  } catch (error) {
    problems.push(`${setting}: ${file} can’t be read (${(error as NodeJS.ErrnoException).code})`)
  }
  return ''
}

function certificateProblems(
  certificate: Certificate,
  certFile: string,
  keyFile: string,
): string[] {
  const certOf = attempt(() => new X509Certificate(certificate.cert))
  const keyOf = attempt(() => createPrivateKey(certificate.key))
  const problems: string[] = []
  if ('error' in certOf) problems.push(`DROP_TLS_CERT: ${certFile} contains no valid certificate`)
  if ('error' in keyOf)
    problems.push(
      /ENCRYPTED/.test(certificate.key)
        ? `DROP_TLS_KEY: ${keyFile} is encrypted: set a key without a password`
        : `DROP_TLS_KEY: ${keyFile} contains no valid private key`,
    )
  if ('error' in certOf || 'error' in keyOf) return problems
  if (!certOf.value.checkPrivateKey(keyOf.value))
    return [`DROP_TLS_KEY: ${keyFile} is not the key of the certificate in DROP_TLS_CERT`]
  const context = attempt(() => createSecureContext(certificate))
  return 'error' in context
    ? [`DROP_TLS_CERT, DROP_TLS_KEY: TLS refuses them (${context.error.message})`]
    : []
}

function attempt<T>(work: () => T): { value: T } | { error: NodeJS.ErrnoException } {
  try {
    return { value: work() }
  } catch (error) {
    return { error: error as NodeJS.ErrnoException }
  }
}
