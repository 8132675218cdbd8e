// Which list is on the screen: while another one is awaited, still the one before.
import { useState } from 'react'

/**
 * A key for the rows of a list. Rows of another search are new elements then: rows that both have
 * would be moved over the screen when the answer arrives, under the pointer of the one who is about
 * to click.
 */
export function useShownList(wanted: string, awaited: boolean): string {
  const [shown, setShown] = useState(wanted)
  if (!awaited && shown !== wanted) setShown(wanted)
  return shown
}
