// All problems that prevented saving a form; the page scrolls to them and focuses them.
import { useEffect, useRef } from 'react'
import { type Objection } from '../client/workflows.ts'
import { BlockStack } from '../ui/index.ts'
import { Problem } from './problem.tsx'
import { ProblemList } from './problem-list.tsx'

interface Props {
  form: {
    /** How many times saving was refused. */
    refusals: number
    obstacles: readonly Objection[]
    error: Error | null
  }
  /** What failed, if the reason is not the form's values. */
  what: string
  /** The heading of the list of problems. */
  title: string
  placeText: (param: string) => string
}

export function Refusal({ form: { refusals, obstacles, error }, what, title, placeText }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (refusals === 0) return
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'center' })
  }, [refusals])
  if (!error && obstacles.length === 0) return null
  return (
    <div ref={place} tabIndex={-1} className="place">
      <BlockStack gap="400">
        {error && <Problem error={error} what={what} />}
        {obstacles.length > 0 && (
          <ProblemList title={title} problems={obstacles} placeText={placeText} />
        )}
      </BlockStack>
    </div>
  )
}
