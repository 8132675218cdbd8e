// The button of a row's destructive action: Delete, Remove, Revoke.
import { Button } from '../ui/index.ts'

interface Props {
  text: string
  /** Names the row too, for screen readers: `Delete summer-catalog`. */
  label: string
  /** `tertiary`: beside buttons with a background. */
  variant?: 'plain' | 'tertiary'
  onClick: () => void
}

export const CriticalButton = ({ text, label, variant = 'plain', onClick }: Props) => (
  <Button variant={variant} tone="critical" accessibilityLabel={label} onClick={onClick}>
    {text}
  </Button>
)
