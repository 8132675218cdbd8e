// A choice about the list of files that this browser keeps.
const keyOf = (choice: KeptChoice) => `files.${choice}`
type KeptChoice = 'columns' | 'layout' | 'rows'

/** The kept text; the empty string if there is none. */
export function keptChoice(choice: KeptChoice): string {
  try {
    return localStorage.getItem(keyOf(choice)) ?? ''
  } catch {
    return ''
  }
}

export function keepChoice(choice: KeptChoice, text: string): void {
  try {
    localStorage.setItem(keyOf(choice), text)
  } catch {
    // Storage is full or forbidden in this frame: the choice lasts until the page is left.
  }
}
