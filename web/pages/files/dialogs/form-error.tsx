// What is wrong with a form as a whole, said where it begins.
import { Text } from '../../../ui/index.ts'

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
