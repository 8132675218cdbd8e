// Firefox's detector of encodings (chardetng, compiled to WebAssembly). Its package imports the module in
// a way that Node allows with a flag only, so the few functions of it are called here.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** TypeScript has its types with those of browsers only. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: object }
}

interface Exports {
  memory: { readonly buffer: ArrayBuffer }
  __wbindgen_add_to_stack_pointer(bytes: number): number
  __wbindgen_malloc(bytes: number): number
  __wbindgen_free(at: number, bytes: number): void
  detect(result: number, at: number, bytes: number): void
}

let loaded: Exports | null = null

function load(): Exports {
  const file = import.meta.resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm')
  const module = new WebAssembly.Module(readFileSync(fileURLToPath(file)))
  const __wbindgen_throw = () => {
    throw new Error('The detector of encodings failed')
  }
  const imports = { './chardetng_wasm_bg.js': { __wbindgen_throw } }
  return new WebAssembly.Instance(module, imports).exports as Exports
}

/** The place and the length of a result. */
const RESULT_BYTES = 16

/**
 * The label of the encoding in which the text makes most sense. It always names one: DOS and Mac code
 * pages are unknown to it.
 */
export function guessedLabel(text: Uint8Array): string {
  loaded ??= load()
  const wasm = loaded
  const result = wasm.__wbindgen_add_to_stack_pointer(-RESULT_BYTES)
  try {
    const at = wasm.__wbindgen_malloc(text.length)
    // The detector frees the text.
    new Uint8Array(wasm.memory.buffer).set(text, at)
    wasm.detect(result, at, text.length)
    const memory = new DataView(wasm.memory.buffer)
    const [place, length] = [memory.getUint32(result, true), memory.getUint32(result + 4, true)]
    const label = Buffer.from(new Uint8Array(wasm.memory.buffer, place, length)).toString('latin1')
    wasm.__wbindgen_free(place, length)
    return label
  } finally {
    wasm.__wbindgen_add_to_stack_pointer(RESULT_BYTES)
  }
}
