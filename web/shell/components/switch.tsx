// A switch that takes effect immediately.
import './form.css'
interface Props {
  label: string
  on: boolean
  busy?: boolean
  onChange: (on: boolean) => void
}

export function Switch({ label, on, busy = false, onChange }: Props) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={on}
      aria-label={label}
      aria-busy={busy}
      onClick={() => !busy && onChange(!on)}
    >
      <span />
    </button>
  )
}
