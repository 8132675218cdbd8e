// Open reviews: files with their candidates, to accept one, choose another product, or reject them.
// Files with the same best candidate are one group; `like` shows the files of one group.
import { type ComponentProps, useState, type FocusEvent, useEffect, useMemo, useRef } from 'react'
import { LoadingRows, Nothing, PageTurner } from '../../../shell/components/lists.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { listState, word } from '../../../shell/url-state/list-state.ts'
import { useUrlState } from '../../../shell/url-state/use-url-state.ts'
import { BlockStack, Box, Button, Card, Hint, InlineStack } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'
import { type PageKey, usePageKeys } from '../../../shell/palette/page-keys.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import {
  type Candidate,
  type Review,
  useReviewGroups,
  useReviews,
  type Choice,
  filesAlike,
  useMapTo,
} from '../calls.ts'
import { DecisionBar, type Decision } from '../decision-bar.tsx'
import { RuleDialog } from '../rules/rule-dialog.tsx'
import { commonStart, ruleText } from '../rules/rule-text.ts'
import { ProductPicker } from '../product-picker.tsx'
import { AcceptAbove } from './accept-above.tsx'
import { ReviewCard, type GroupSummary } from './review-card.tsx'
import './reviews.css'

const SHOWN = 25

/** `like`: a review of the group that is shown. */
const REVIEWS_STATE = listState({ like: word })

interface ReviewEntry {
  review: Review
  alike?: GroupSummary | undefined
}

/** The groups, or the files of one group. */
function useShown({ like, cursor }: { like: string; cursor: string }) {
  const groups = useReviewGroups({ limit: SHOWN, cursor }, like === '')
  const reviews = useReviews({ limit: SHOWN, cursor, like }, like !== '')
  if (like !== '') return { read: reviews, ...reviews.data, list: reviews.data?.data.map(alone) }
  return { read: groups, ...groups.data, list: groups.data?.data.map(asEntry) }
}

const alone = (review: Review): ReviewEntry => ({ review })
const asEntry = ({ review, ...alike }: GroupSummary & { review: Review }): ReviewEntry => ({
  review,
  alike: alike.count > 1 ? alike : undefined,
})

type ReviewDialog =
  | { dialog: 'product'; shown: ReviewEntry }
  | { dialog: 'rule'; shown: ReviewEntry; candidate: Candidate | undefined }
  | { dialog: 'above' }

export function ReviewsPage() {
  const { urlState, go, pages } = useUrlState(REVIEWS_STATE)
  const { read, list, open, next_cursor } = useShown(urlState)
  const [asked, setAsked] = useState<ReviewDialog | null>(null)
  const [decided, setDecided] = useState<{ decision: Decision; number: number } | null>(null)
  const decide = (decision: Decision) =>
    setDecided((last) => ({ decision, number: (last?.number ?? 0) + 1 }))
  const { onFocus } = useReviewKeys(list?.length ?? 0)
  const close = () => setAsked(null)
  return (
    <Page
      title={t('Reviews')}
      subtitle={
        open ? t('{open, plural, one {# file waits} other {# files wait}}', { open }) : undefined
      }
      secondaryActions={[
        { content: t('Mapping rules'), url: '/settings/mapping-rules' },
        ...(open
          ? [{ content: t('Accept all above …'), onAction: () => setAsked({ dialog: 'above' }) }]
          : []),
      ]}
    >
      <div onFocus={onFocus}>
        <BlockStack gap="400">
          {decided && (
            <DecisionBar
              key={decided.number}
              decision={decided.decision}
              onClose={() => setDecided(null)}
            />
          )}
          {urlState.like !== '' && <OneGroup onBack={() => go({ like: '' })} />}
          <LoadProblem query={read} what={t('The reviews could not be loaded')} />
          {read.isPending && (
            <Card padding="0">
              <LoadingRows rows={4} what={t('reviews')} />
            </Card>
          )}
          {list?.length === 0 && (
            <NoReviews inGroup={urlState.like !== ''} onAll={() => go({ like: '' })} />
          )}
          {list?.map((shown) => (
            <ReviewCard
              key={shown.review.id}
              {...shown}
              onChoose={() => setAsked({ dialog: 'product', shown })}
              onRemember={(candidate) => setAsked({ dialog: 'rule', shown, candidate })}
              onEach={() => go({ like: shown.review.id })}
              onDecided={decide}
            />
          ))}
          {list && list.length > 0 && (
            <ReviewPages page={urlState.page} pages={pages(next_cursor)} />
          )}
        </BlockStack>
      </div>
      {asked && <AskedDialog asked={asked} onClose={close} onDecided={decide} />}
    </Page>
  )
}

interface PagesProps {
  page: number
  pages: ComponentProps<typeof PageTurner>['pages']
}

const ReviewPages = ({ page, pages }: PagesProps) =>
  (pages.hasNext || page > 1) && (
    <Card padding="0">
      <PageTurner label={t('Page {page, number}', { page })} what={t('reviews')} pages={pages} />
    </Card>
  )

interface AskedProps {
  asked: ReviewDialog
  onClose: () => void
  onDecided: (decision: Decision) => void
}

function AskedDialog({ asked, ...on }: AskedProps) {
  if (asked.dialog === 'product') return <ChooseProduct {...asked.shown} {...on} />
  if (asked.dialog === 'rule')
    return <RememberRule shown={asked.shown} candidate={asked.candidate} {...on} />
  return <AcceptAbove {...on} />
}

const OneGroup = ({ onBack }: { onBack: () => void }) => (
  <Box paddingInline={{ xs: '400', md: '0' }}>
    <InlineStack gap="200" blockAlign="center">
      <Button onClick={onBack}>{t('All reviews')}</Button>
      <Hint>{t('Only files with the same best candidate are shown.')}</Hint>
    </InlineStack>
  </Box>
)

const NoReviews = ({ inGroup, onAll }: { inGroup: boolean; onAll: () => void }) => (
  <Card>
    {inGroup ? (
      <Nothing
        why="unmatched"
        heading={t('All files of this group are decided')}
        action={{ content: t('All reviews'), onAction: onAll }}
      />
    ) : (
      <Nothing why="new" heading={t('Nothing to review')}>
        {t(
          'When a file’s name matches several products, you choose one here. Until then the file has no product.',
        )}
      </Nothing>
    )}
  </Card>
)

interface RememberProps {
  shown: ReviewEntry
  candidate: Candidate | undefined
  onClose: () => void
  onDecided: (decision: Decision) => void
}

/** The files that match are mapped by an operation, which can be undone. */
function RememberRule({ shown, candidate, onClose, onDecided }: RememberProps) {
  const names = [shown.review.file.filename, ...(shown.alike?.others ?? [])]
  return (
    <RuleDialog
      rule={null}
      start={{
        ...commonStart(names),
        product: candidate
          ? {
              product_id: candidate.product_id,
              variant_id: candidate.variant_id,
              title: candidate.product_title,
            }
          : null,
      }}
      onClose={onClose}
      onSaved={(rule, job) => {
        if (job !== null)
          onDecided({
            text: t('{rule}: the files that match get the product', { rule: ruleText(rule) }),
            undo: { kind: 'operations', ids: [job] },
          })
      }}
    />
  )
}

// The keys of the list of reviews: j and k move between the cards; a card handles the others.

const cards = () => [...document.querySelectorAll<HTMLElement>('[data-review]')]

/** `count`: how many cards are shown. Returns what the element around them has to call. */
function useReviewKeys(count: number): { onFocus: (event: FocusEvent) => void } {
  /** The place of the card that had the focus last. */
  const place = useRef<number | null>(null)
  const keys = useMemo((): readonly PageKey[] => {
    const move = (by: number) => {
      const all = cards()
      const at = all.findIndex((card) => card.contains(document.activeElement))
      // A decided card is gone: the next one has its place.
      const to = at === -1 ? (place.current ?? 0) : at + by
      focusCard(all[Math.max(0, Math.min(all.length - 1, to))])
    }
    return [
      { key: 'j', does: t('Next review'), run: () => move(1) },
      { key: 'k', does: t('Previous review'), run: () => move(-1) },
      { key: '1–9', does: t('Choose a candidate') },
      { key: 'Enter', does: t('Accept the chosen candidate') },
      { key: 'x', does: t('Accept none of them') },
      { key: 'o', does: t('Decide one by one') },
      { key: 'u', does: t('Undo the last decision'), run: pressUndo },
    ]
  }, [])
  usePageKeys(keys)
  useEffect(() => {
    if (place.current === null || document.activeElement !== document.body) return
    const all = cards()
    focusCard(all[Math.min(all.length - 1, place.current)])
  }, [count])
  return {
    onFocus: ({ target }) => {
      const at = cards().findIndex((card) => card.contains(target))
      if (at !== -1) place.current = at
    },
  }
}

function focusCard(card: HTMLElement | undefined): void {
  card?.focus({ preventScroll: true })
  card?.scrollIntoView({ block: 'nearest' })
}

const pressUndo = () => document.querySelector<HTMLElement>('[data-undo] button')?.click()

// If no candidate is right: any product of the shop, found by title or SKU.

interface Props {
  review: Review
  /** The product is for all files of the group. */
  alike?: GroupSummary | undefined
  onClose: () => void
  onDecided: (decision: Decision) => void
}

function ChooseProduct({ review, alike, onClose, onDecided }: Props) {
  const [choice, setChoice] = useState<(Choice & { title: string }) | null>(null)
  const map = useMapTo()
  const { filename } = review.file
  const finish = () =>
    choice &&
    map.mutate(
      { files: alike ? () => filesAlike(review) : () => Promise.resolve([review.file.id]), choice },
      {
        onSuccess: ({ id, total }) => {
          const { title } = choice
          onDecided({
            text: alike
              ? t(
                  '{accepted, plural, one {# file is attached to {title}} other {# files are attached to {title}}}',
                  { accepted: total, title },
                )
              : t('{filename} is attached to {title}', { filename, title }),
            undo: { kind: 'operations', ids: [id] },
          })
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={
        alike
          ? t('Choose a product for {count, plural, one {# file} other {# files}}', {
              count: alike.count,
            })
          : t('Choose a product for {filename}', { filename })
      }
      onClose={onClose}
      why={choice ? null : t('Choose a product first.')}
      primaryAction={{
        content: t('Attach'),
        loading: map.isPending,
        onAction: () => void finish(),
      }}
    >
      {map.error && <Problem error={map.error} what={t('The file could not be attached')} />}
      <ProductPicker choice={choice} onChoose={setChoice} />
    </Dialog>
  )
}
