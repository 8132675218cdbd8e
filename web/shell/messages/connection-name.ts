// The name of a cloud connection. The server names the sample connection of the demo in English.
import { translated } from './t.ts'

const SAMPLE = 'Sample folder'

/** `Sample folder/manuals` in the page's language; other names as they are. */
export const connectionName = (name: string): string =>
  name === SAMPLE || name.startsWith(`${SAMPLE}/`)
    ? translated(SAMPLE) + name.slice(SAMPLE.length)
    : name
