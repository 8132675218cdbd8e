// `npm ci` runs this last. ssh2's install script compiles against the headers of the Node that ran
// npm, but the server runs on the Node of node_modules. If the two do not match, SFTP falls back to
// the ciphers of Node, which are a third slower; if they match, the ciphers may end the process (native-crypto.ts). Compile again
// in both cases. Nothing fails if there is no compiler.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  abortsOnCollection,
  hasNativeCrypto,
  NATIVE_CRYPTO,
} from '../features/drop/native-crypto.ts'

/** The path of node-gyp, which npm provides; other package managers are not supported. */
const NODE_GYP = process.env.npm_config_node_gyp
const HOME = path.resolve(process.execPath, '../..')
/** npm's `node` package links to the program, and the headers are in a package of the platform. */
const HEADERS = [
  HOME,
  path.join(HOME, `node_modules/node-${process.platform}-${process.arch}`),
  path.join(HOME, `../node-${process.platform}-${process.arch}`),
].find((folder) => existsSync(path.join(folder, 'include/node/node.h')))

/**
 * Compiles in a temporary folder, because node-gyp's makefiles do not quote paths: a space in the
 * path of this checkout would break them.
 */
function build(nodeGyp: string, headers: string): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'stevedore-ssh2-'))
  try {
    const cwd = path.join(folder, 'crypto')
    copySources(cwd, folder)
    symlinkSync(headers, path.join(folder, 'headers'))
    compile(nodeGyp, cwd, path.join(folder, 'headers'))
    const built = path.join(cwd, 'build/Release', path.basename(NATIVE_CRYPTO))
    if (!existsSync(built)) return
    mkdirSync(path.dirname(NATIVE_CRYPTO), { recursive: true })
    cpSync(built, NATIVE_CRYPTO)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** nan's class is the same as Node's, but registers no cleanup hook. */
const NAN_OBJECT_WRAP = `#include <node.h>
#include <node_object_wrap.h>
#include <nan.h>
#define ObjectWrap Nan::ObjectWrap
`

/** ssh2's sources without an earlier build, and the headers of nan, which they include. */
function copySources(target: string, folder: string): void {
  const source = path.resolve(NATIVE_CRYPTO, '../../..')
  const earlier = path.join(source, 'build')
  cpSync(source, target, { recursive: true, filter: (file) => file !== earlier })
  const nan = path.dirname(createRequire(NATIVE_CRYPTO).resolve('nan/package.json'))
  cpSync(nan, path.join(folder, 'node_modules/nan'), { recursive: true })
  const binding = path.join(target, 'src/binding.cc')
  writeFileSync(binding, NAN_OBJECT_WRAP + readFileSync(binding, 'utf8'))
}

function compile(nodeGyp: string, cwd: string, headers: string): void {
  const [openssl] = process.versions.openssl.split('.')
  const target = [`--target=${process.version}`, `--real_openssl_major=${openssl}`]
  // Otherwise node-gyp would download headers. A nodedir of npm's configuration overrides options.
  const nodedir = `--nodedir=${headers}`
  const env = { ...process.env }
  delete env.npm_config_nodedir
  spawnSync(process.execPath, [nodeGyp, 'rebuild', ...target, nodedir], {
    env,
    cwd,
    stdio: 'ignore',
    timeout: 300_000,
  })
}

if (!hasNativeCrypto() || abortsOnCollection()) {
  if (NODE_GYP && HEADERS) build(NODE_GYP, HEADERS)
  if (abortsOnCollection()) rmSync(NATIVE_CRYPTO)
  // Loading a module of the wrong version cannot be undone within a process.
  const check = new URL('../features/drop/native-crypto.ts', import.meta.url)
  const program = `import { hasNativeCrypto } from ${JSON.stringify(check)}
    process.exit(hasNativeCrypto() ? 0 : 1)`
  const built = spawnSync(process.execPath, ['--input-type=module', '--eval', program])
  if (built.status === 0) process.stdout.write('SFTP: compiled ssh2 for this Node\n')
}

// Only compilers read the headers, which take 67 MB.
if (HEADERS?.includes(`${path.sep}node_modules${path.sep}`))
  rmSync(path.join(HEADERS, 'include'), { recursive: true, force: true })
