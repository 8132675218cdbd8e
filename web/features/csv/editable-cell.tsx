// A cell that is edited in place.
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { t } from '../../shell/messages/t.ts'

interface Props {
  /** `File URL, row 12` */
  label: string
  value: string
  /** The text of the file. */
  original: string
  disabled: boolean
  /** The id of the element with the problems of the cell. */
  describedBy: string
  /** Rejects with the reason why the text was not stored. */
  save: (text: string) => Promise<void>
}

export function EditableCell({ label, value, original, disabled, describedBy, save }: Props) {
  const { button, draft, setDraft, error, saving, finish, press } = useCellDraft(value, save)
  const corrected = value !== original
  if (draft === null)
    return (
      <button
        ref={button}
        type="button"
        className={`editable ${corrected ? 'corrected' : ''}`}
        disabled={disabled}
        title={corrected ? t('Before: {text}', { text: original || '–' }) : value}
        aria-label={t('{label}: {text}', { label, text: value || t('empty') })}
        aria-describedby={describedBy}
        onClick={() => setDraft(value)}
      >
        {value || '–'}
      </button>
    )
  return (
    <>
      <input
        className="cell-input"
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={error !== null}
        autoFocus
        readOnly={saving}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={press}
        onBlur={() => finish(false)}
      />
      {error !== null && (
        <span className="objection error" role="alert">
          {error}
        </span>
      )}
    </>
  )
}

/** The text while it is edited; null: it is not edited. */
function useCellDraft(value: string, save: Props['save']) {
  const [draft, setDraft] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  // Enter and Escape return to the cell; Tab and a click elsewhere do not.
  const returning = useRef(false)
  useEffect(() => {
    // Unless the person has gone to another element while the text was saved.
    const free = document.activeElement === document.body
    if (draft === null && returning.current && free) button.current?.focus()
    returning.current = false
  }, [draft])
  const close = (back: boolean) => {
    returning.current = back
    setError(null)
    setDraft(null)
  }
  const finish = (back: boolean) => {
    if (draft === null || saving) return
    if (draft.trim() === value) return close(back)
    setSaving(true)
    save(draft.trim())
      .then(() => close(back))
      .catch((failure: unknown) => setError((failure as Error).message))
      .finally(() => setSaving(false))
  }
  const press = (event: KeyboardEvent) => {
    // Enter of an input method chooses characters.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      finish(true)
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      close(true)
    }
  }
  return { button, draft, setDraft, error, saving, finish, press }
}
