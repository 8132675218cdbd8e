// The problem of a form as a whole, shown at its top.
import { Text } from '../../../shell/ui/index.ts'

export function FormError({ text }: { text: string | undefined }) {
  if (!text) return null
  return (
    <div role="alert">
      <Text as="p" tone="critical">
        {text}
      </Text>
    </div>
  )
}
