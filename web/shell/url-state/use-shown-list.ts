// Which list is shown: while another one loads, the previous one.
import { useState } from 'react'

/**
 * A key for the rows of a list. Rows of another search get new elements: otherwise rows that both
 * have would move when the answer arrives, under the pointer of a person who is about to click.
 */
export function useShownList(wanted: string, awaited: boolean): string {
  const [shown, setShown] = useState(wanted)
  if (!awaited && shown !== wanted) setShown(wanted)
  return shown
}
