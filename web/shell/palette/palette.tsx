// Finds a page, an action or a record by its name, and opens it.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { type FoundEntry, useFeatures } from '../feature.ts'
import { Marked } from '../files/name.tsx'
import { t } from '../messages/t.ts'
import { goTo } from '../url-state/leaving.ts'
import { useDebounced } from '../url-state/use-debounced.ts'
import { foundPlaces, foundRecords, type FoundGroup } from './found.ts'
import { NativeDialog } from './native-dialog.tsx'

const MAX_LENGTH = 200
const TYPING_MS = 150

/** Open while it is rendered. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { groups, searching, incomplete } = useFound(text.trim())
  const entries = groups.flatMap((group) => group.entries)
  const chosen = Math.min(at, entries.length - 1)
  const id = useId()

  const open = (entry: FoundEntry | undefined) => {
    if (!entry) return
    onClose()
    goTo(entry.url)
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => setAt((chosen + 1) % Math.max(1, entries.length)),
    ArrowUp: () => setAt((chosen - 1 + entries.length) % Math.max(1, entries.length)),
    Enter: () => open(entries[chosen]),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the input of a Japanese word opens nothing.
    const act = event.nativeEvent.isComposing ? undefined : ownValue(keys, event.key)
    if (!act) return
    event.preventDefault()
    act()
  }
  return (
    <NativeDialog label={t('Go to')} onClose={onClose}>
      <input
        className="palette-field"
        role="combobox"
        aria-label={t('Find pages, files, orders and actions')}
        placeholder={t('Find pages, files, orders and actions')}
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_LENGTH}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Results
        groups={groups}
        text={text.trim()}
        chosen={chosen}
        id={id}
        onOpen={open}
        onPoint={setAt}
      />
      <p className="palette-end" role="status">
        {searching ? t('Searching…') : countText(entries.length, text.trim(), incomplete)}
      </p>
    </NativeDialog>
  )
}

function countText(count: number, text: string, incomplete: boolean): string {
  if (incomplete) return t('Not everything could be searched. Check your connection and try again.')
  return count === 0
    ? t('Nothing matches “{text}”', { text })
    : t('{count, plural, one {# result} other {# results}}', { count })
}

interface FoundEntries {
  groups: readonly FoundGroup[]
  searching: boolean
  /** Not everything could be searched. */
  incomplete: boolean
}

function useFound(text: string): FoundEntries {
  const features = useFeatures()
  const typed = useDebounced(text, TYPING_MS)
  const records = useQuery({
    queryKey: ['palette', typed],
    queryFn: ({ signal }) => foundRecords(features, typed, signal),
    enabled: typed !== '',
    // What could not be searched is searched again.
    staleTime: ({ state }) => (state.data?.incomplete ? 0 : 10_000),
  })
  const isCurrent = typed === text
  return {
    groups: [
      ...foundPlaces(features, text),
      ...(text !== '' && isCurrent ? (records.data?.groups ?? []) : []),
    ],
    searching: text !== '' && (!isCurrent || records.isFetching),
    incomplete: text !== '' && records.data?.incomplete === true,
  }
}

interface ResultsProps {
  groups: readonly FoundGroup[]
  text: string
  /** The position of the chosen entry among all. */
  chosen: number
  id: string
  onOpen: (entry: FoundEntry) => void
  onPoint: (at: number) => void
}

function Results({ groups, text, chosen, id, onOpen, onPoint }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const starts = groups.map((_, n) =>
    groups.slice(0, n).reduce((sum, { entries }) => sum + entries.length, 0),
  )
  return (
    <div
      className="palette-list"
      ref={list}
      role="listbox"
      id={`${id}-list`}
      aria-label={t('Results')}
    >
      {groups.map(({ title, entries }, n) => (
        <div key={title} role="group" aria-label={title}>
          <div className="palette-group" aria-hidden="true">
            {title}
          </div>
          {entries.map((entry, m) => {
            const position = (starts[n] ?? 0) + m
            return (
              <div
                key={entry.url + entry.label}
                id={`${id}-${position}`}
                className="palette-entry"
                role="option"
                aria-selected={position === chosen}
                onMouseMove={() => onPoint(position)}
                onClick={() => onOpen(entry)}
              >
                <span>
                  <Marked text={entry.label} find={text} />
                </span>
                {entry.detail && <span className="palette-detail">{entry.detail}</span>}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
