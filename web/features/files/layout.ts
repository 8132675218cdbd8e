// How the list of files is drawn: rows with columns, or a grid of pictures.
import { useState } from 'react'
import { keepChoice, keptChoice } from './kept-choice.ts'

export type ListLayout = 'list' | 'grid'

/** The layout, which this browser keeps. */
export function useKeptLayout(): [layout: ListLayout, keep: (layout: ListLayout) => void] {
  const [layout, setLayout] = useState<ListLayout>(() =>
    keptChoice('layout') === 'grid' ? 'grid' : 'list',
  )
  return [
    layout,
    (chosen) => {
      setLayout(chosen)
      keepChoice('layout', chosen)
    },
  ]
}
