// Parts of every list: placeholder rows while it loads, pagination, and its empty state.
import { type ReactNode } from 'react'
import crate from '../ui/crate.svg'
import lost from '../ui/lost.svg'
import {
  Box,
  Button,
  Heading,
  Hint,
  InlineStack,
  Pagination,
  SkeletonBodyText,
  SmallPrint,
} from '../ui/index.ts'
import { t } from '../messages/t.ts'

export function LoadingRows({ rows = 8, what }: { rows?: number; what: string }) {
  return (
    <div className="loading-rows" role="status" aria-label={t('Loading {what}', { what })}>
      {Array.from({ length: rows }, (_, row) => (
        <Box
          key={row}
          padding="400"
          borderBlockEndWidth={row < rows - 1 ? '025' : '0'}
          borderColor="border-secondary"
        >
          <SkeletonBodyText lines={row % 3 === 0 ? 2 : 1} />
        </Box>
      ))}
    </div>
  )
}

/** Something may appear here once it is loaded: what is below waits for it, as for placeholder rows. */
export const LoadingNothing = () => <div className="loading-rows" />

export interface Pages {
  hasNext: boolean
  hasPrevious: boolean
  onNext(): void
  onPrevious(): void
}

interface TurnerProps {
  pages: Pages
  label: string
  what: string
  /** Between the label and the buttons. */
  children?: ReactNode
}

export function PageTurner({ pages, label, what, children }: TurnerProps) {
  const turn = (move: () => void) => () => {
    move()
    window.scrollTo({ top: 0 })
  }
  return (
    <Box padding="300" borderBlockStartWidth="025" borderColor="border-secondary">
      <InlineStack align="space-between" blockAlign="center" gap="300">
        <SmallPrint>
          <span className="tabular">{label}</span>
        </SmallPrint>
        {children}
        {(pages.hasNext || pages.hasPrevious) && (
          <Pagination
            hasNext={pages.hasNext}
            hasPrevious={pages.hasPrevious}
            onNext={turn(pages.onNext)}
            onPrevious={turn(pages.onPrevious)}
            accessibilityLabel={t('Pages of {what}', { what })}
            accessibilityLabels={{
              next: t('Next page of {what}', { what }),
              previous: t('Previous page of {what}', { what }),
            }}
          />
        )}
      </InlineStack>
    </Box>
  )
}

interface NothingProps {
  heading: string
  action?: { content: string; onAction?: () => void; url?: string }
  children?: ReactNode
  /** `new`: there are no rows yet; `unmatched`: none match. */
  why: 'new' | 'unmatched'
}

/** The pictures with their sizes, so that the text does not move when one arrives. */
const PICTURES = {
  new: { src: crate, width: 226, height: 180 },
  unmatched: { src: lost, width: 226, height: 150 },
}

export function Nothing({ heading, action, children, why }: NothingProps) {
  return (
    <div className="nothing">
      <img {...PICTURES[why]} alt="" />
      <Heading>{heading}</Heading>
      {children && <Hint>{children}</Hint>}
      {action && (
        <Button variant="primary" url={action.url} onClick={action.onAction}>
          {action.content}
        </Button>
      )}
    </div>
  )
}
