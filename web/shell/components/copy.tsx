// A button that copies a text, and a box of code with such a button.
import { useState } from 'react'
import { toast } from '../client/bridge.ts'
import { Button } from '../ui/index.ts'
import { copyText } from './clipboard.ts'
import { capitalized } from '../labels/size.ts'
import { t } from '../messages/t.ts'

interface Props {
  text: string
  /** The name of the copied text, for screen readers. */
  what: string
  label?: string
  variant?: 'plain' | 'primary' | 'secondary'
}

export function Copy({ text, what, label, variant = 'secondary' }: Props) {
  const [manual, setManual] = useState(false)
  const copy = async () => {
    const copied = await copyText(text)
    setManual(!copied)
    if (copied) toast(capitalized(t('{what} copied', { what })))
  }
  return (
    <>
      <Button
        size="slim"
        variant={variant === 'secondary' ? undefined : variant}
        // Who speaks to a browser says what a button shows, so its name has that text.
        accessibilityLabel={label ? `${label}: ${what}` : t('Copy {what}', { what })}
        onClick={() => void copy()}
      >
        {label ?? t('Copy')}
      </Button>
      {manual && (
        <input
          readOnly
          aria-label={what}
          value={text}
          autoFocus
          onFocus={(event) => event.target.select()}
        />
      )}
    </>
  )
}

/** `wrap`: one long line that is shown completely. */
export function Code({ text, what, wrap = false }: { text: string; what: string; wrap?: boolean }) {
  return (
    <div className={wrap ? 'code wrap' : 'code'}>
      {/* It scrolls sideways, so it must be reachable by keyboard. */}
      <pre tabIndex={0} role="group" aria-label={what}>
        {text}
      </pre>
      <Copy text={text} what={what} />
    </div>
  )
}
