// Files that were dropped on another page, on their way to the page that uploads them.
import { type ChosenFile } from '../../shell/components/chosen-files.ts'

let waiting: readonly ChosenFile[] = []

export const handOver = (files: readonly ChosenFile[]): void => {
  waiting = files
}

/** Returns the dropped files, and forgets them: each is taken once. */
export function takeDropped(): readonly ChosenFile[] {
  const files = waiting
  waiting = []
  return files
}
