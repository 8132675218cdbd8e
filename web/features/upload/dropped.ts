// Files that were dropped on another page, on their way to the page that uploads them.
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { goTo } from '../../shell/url-state/leaving.ts'

interface Dropped {
  files: readonly ChosenFile[]
  /** The name of the pack that they are for; undefined: what is chosen on the page. */
  pack?: string | undefined
}

const NOTHING: Dropped = { files: [] }
let waiting = NOTHING

/** Opens the page that uploads them. */
export function uploadFiles(files: readonly ChosenFile[], pack?: string): void {
  waiting = { files, pack }
  goTo('/import/upload', () => {
    waiting = NOTHING
  })
}

/** Returns the dropped files, and forgets them: each is taken once. */
export function takeDropped(): Dropped {
  const dropped = waiting
  waiting = NOTHING
  return dropped
}
