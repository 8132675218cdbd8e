// What the installation wrote into the package when it served it.
import { readFileSync } from 'node:fs'

interface OwnPackage {
  version: string
  stevedore?: { url: string; build: string }
}

/** Null: the sources run, and no package. */
export function ownPackage(): OwnPackage | null {
  try {
    const text = readFileSync(new URL('./package.json', import.meta.url), 'utf8')
    return JSON.parse(text) as OwnPackage
  } catch {
    return null
  }
}
