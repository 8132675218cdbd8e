// The app's admin extensions, built as `shopify app build` does: one module each.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { firstOf } from '../../core/lazy.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../../web/extensions')

/** The module of an extension. `appUrl`: the app's address, as the platform's build sets it. */
export async function buildExtension(name: string, appUrl: string): Promise<string> {
  // Loaded only here: the demo starts without it.
  const { build } = await import('vite')
  const root = path.join(FOLDER, name)
  const built = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    define: {
      'process.env.APP_URL': JSON.stringify(appUrl),
      'process.env.NODE_ENV': '"production"',
    },
    build: {
      write: false,
      lib: { entry: path.join(root, 'src/index.tsx'), formats: ['es'] },
    },
  })
  const outputs = ([] as unknown[]).concat(built) as { output: { code: string }[] }[]
  return firstOf(firstOf(outputs).output).code
}

/** The texts of an extension in a language, as its locale file has them. */
export const extensionTexts = async (name: string, locale = 'en.default'): Promise<object> =>
  JSON.parse(await readFile(path.join(FOLDER, name, `locales/${locale}.json`), 'utf8')) as object
