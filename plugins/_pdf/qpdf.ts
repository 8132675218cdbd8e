// qpdf as WebAssembly, in a child: a new instance for each call, with access to one folder of this
// machine only. Why qpdf, and what it cannot do: docs/decisions/0019.
import createModule from '@neslinesli93/qpdf-wasm'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Refusal, isOutOfMemory, sayPlain } from '../contract/sandbox.ts'
import { refusalFor } from './problems.ts'

/** The path of the work folder for qpdf: file names in its arguments begin with it. */
export const HERE = '/work'
const WASM = createRequire(import.meta.url).resolve('@neslinesli93/qpdf-wasm/dist/qpdf.wasm')
const MAX_WORDS = 64 * 1024

type Instantiate = (source: object, imports: object) => Promise<object>
// Node has it, but Node's types lack it.
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object>; instantiate: Instantiate }

/** The parts of emscripten's module that the package's types lack. */
interface Module {
  callMain(args: string[]): number
  NODEFS: object
  FS: {
    init(
      input: null,
      output: (byte: number | null) => void,
      errors: (byte: number | null) => void,
    ): void
    mkdir(path: string): void
    mount(type: object, options: { root: string }, path: string): void
  }
}
type CreateModule = (options: {
  locateFile: () => string
  preRun: ((module: Module) => void)[]
}) => Promise<Module>

export interface QpdfResult {
  /**
   * The exit code: 0 success, 2 failure, 3 success with warnings; for questions like
   * `--is-encrypted` the answer.
   */
  code: number
  /** The standard output, cut if it is too long. */
  output: string
  /** The warnings and errors. */
  words: string
}

/**
 * Runs qpdf in this folder.
 * @throws an error about memory if it ran out, and `Refusal` `document_too_large` if the disk is
 *   full
 */
export async function callQpdf(folder: string, args: readonly string[]): Promise<QpdfResult> {
  const output = createCollector()
  const words = createCollector()
  const prepare = (module: Module) => {
    module.FS.init(null, output.take, words.take)
    module.FS.mkdir(HERE)
    module.FS.mount(module.NODEFS, { root: folder }, HERE)
  }
  await (compiled ??= compileOnce())
  const module = await (createModule as unknown as CreateModule)({
    locateFile: () => WASM,
    preRun: [prepare],
  })
  const code = callMain(module, await withArgumentsFile(folder, args))
  // qpdf sets the exit code of the process, and the child would exit with it.
  process.exitCode = 0
  const said = words.text()
  if (isOutOfMemory(said)) throw new Error('qpdf: out of memory')
  if (isDiskFull(said))
    throw new Refusal(
      'document_too_large',
      sayPlain('There is no room for the result of this document'),
    )
  return { code, output: output.text(), words: said }
}

let compiled: Promise<void> | undefined

/**
 * Replaces `WebAssembly.instantiate` in this child process, which runs nothing but qpdf. The
 * package compiles its 1.3 MB for each call and has no option for a compiled module
 * (`instantiateWasm` is not in its build). Measured for `--version`: 15.9 ms a call with it, 3.9 ms
 * with one module for all calls; a document takes up to ten calls.
 */
async function compileOnce(): Promise<void> {
  const bytes = await readFile(WASM)
  const module = await WebAssembly.compile(bytes)
  const { instantiate } = WebAssembly
  WebAssembly.instantiate = async (source, imports) =>
    source instanceof Uint8Array && bytes.equals(source)
      ? { module, instance: await instantiate(module, imports) }
      : instantiate(source, imports)
}

/** Whether the disk is full, or the file reached its limit. */
const isDiskFull = (words: string) => /no space left on device|file too large/i.test(words)

/**
 * Runs qpdf as `callQpdf` does, for calls that write something. Also throws `Refusal`:
 * `pdf_encrypted`, `pdf_damaged`.
 */
export async function runQpdf(folder: string, args: readonly string[]): Promise<QpdfResult> {
  const called = await callQpdf(folder, args)
  if (called.code === 0 || called.code === 3) return called
  throw isWrongPassword(called)
    ? refusalFor('pdf_encrypted')
    : refusalFor('pdf_damaged', causeOf(called))
}

export const isWrongPassword = ({ words }: QpdfResult): boolean => /invalid password/i.test(words)

const causeOf = ({ code, words }: QpdfResult) => ({
  cause: new Error(`qpdf ${code}: ${words.slice(-1000)}`),
})

/** A crash inside the WebAssembly is caused by the document: it only runs qpdf. */
function callMain(module: Module, args: readonly string[]): number {
  try {
    return module.callMain([...args])
  } catch (error) {
    if (error instanceof Error && isOutOfMemory(error.message)) throw error
    throw refusalFor('pdf_damaged', { cause: error })
  }
}

// The most bytes of arguments: they are on qpdf's stack, which has 64 KB.
const MAX_ARGUMENTS = 8 * 1024
const ARGUMENTS_FILE = 'arguments'

/** Many arguments are passed in a file; passwords never are. */
async function withArgumentsFile(
  folder: string,
  args: readonly string[],
): Promise<readonly string[]> {
  if (args.join(' ').length < MAX_ARGUMENTS) return args
  const isSecret = (arg: string) => /^--[a-z-]*password=/.test(arg)
  await writeFile(
    path.join(folder, ARGUMENTS_FILE),
    args.filter((arg) => !isSecret(arg)).join('\n'),
  )
  return [...args.filter(isSecret), `@${HERE}/${ARGUMENTS_FILE}`]
}

function createCollector() {
  const bytes: number[] = []
  return {
    take: (byte: number | null) => {
      if (byte !== null && bytes.length < MAX_WORDS) bytes.push(byte & 0xff)
    },
    text: () => Buffer.from(bytes).toString(),
  }
}
