// `npm ci` runs this last. ssh2's install script compiles against the headers of the Node that ran
// npm, but the server runs on the Node of node_modules. If the two do not match, SFTP falls back to
// slow JavaScript: compile again then. Nothing fails if there is no compiler.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { hasNativeCrypto, NATIVE_CRYPTO } from './channels/drop/native-crypto.ts'

/** The path of node-gyp, which npm provides; other package managers are not supported. */
const NODE_GYP = process.env.npm_config_node_gyp
const HOME = path.resolve(process.execPath, '../..')
/** npm's `node` package links to the program, and the headers are in a package of the platform. */
const HEADERS = [
  HOME,
  path.join(HOME, `node_modules/node-${process.platform}-${process.arch}`),
  path.join(HOME, `../node-${process.platform}-${process.arch}`),
].find((folder) => existsSync(path.join(folder, 'include/node/node.h')))

function build(nodeGyp: string, headers: string): void {
  const [openssl] = /^\d+/.exec(process.versions.openssl)!
  const target = [`--target=${process.version}`, `--real_openssl_major=${openssl}`]
  // Otherwise node-gyp would download headers. A nodedir of npm's configuration overrides options.
  const nodedir = `--nodedir=${headers}`
  const env = { ...process.env }
  delete env.npm_config_nodedir
  spawnSync(process.execPath, [nodeGyp, 'rebuild', ...target, nodedir], {
    env,
    cwd: path.resolve(NATIVE_CRYPTO, '../../..'),
    stdio: 'ignore',
    timeout: 300_000,
  })
}

if (!hasNativeCrypto()) {
  if (NODE_GYP && HEADERS) build(NODE_GYP, HEADERS)
  // Loading a module of the wrong version cannot be undone within a process.
  const check = [import.meta.dirname, 'channels/drop/native-crypto.ts']
  const program = `import { hasNativeCrypto } from ${JSON.stringify(path.join(...(check as [string, string])))}
    process.exit(hasNativeCrypto() ? 0 : 1)`
  const built = spawnSync(process.execPath, ['--input-type=module', '--eval', program])
  process.stdout.write(
    built.status === 0
      ? 'SFTP: compiled ssh2 for this Node\n'
      : 'SFTP: ssh2 could not be compiled, transfers are slower. ' +
          'Install a C++ compiler, make and python3, then run npm rebuild\n',
  )
}
