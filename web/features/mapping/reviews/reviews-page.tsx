// Open reviews: files with their candidates, to accept one, choose another product, or reject them.
import { useState } from 'react'
import { type Review, useReviews } from '../calls.ts'
import { LoadingRows, Nothing, PageTurner } from '../../../shell/components/lists.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { PAGED } from '../../../shell/url-state/list-state.ts'
import { useUrlState } from '../../../shell/url-state/use-url-state.ts'
import { BlockStack, Card } from '../../../shell/ui/index.ts'
import { AcceptAbove } from './accept-above.tsx'
import { ChooseProduct } from './choose-product.tsx'
import { ReviewCard } from './review-card.tsx'
import './reviews.css'
import { t } from '../../../shell/messages/t.ts'

const SHOWN = 25

export function ReviewsPage() {
  const { urlState, pages } = useUrlState(PAGED)
  const reviews = useReviews({ limit: SHOWN, cursor: urlState.cursor })
  const [choosing, setChoosing] = useState<Review | null>(null)
  const [accepting, setAccepting] = useState(false)
  const { data, error } = reviews
  const list = data?.data
  return (
    <Page
      title={t('Reviews')}
      subtitle={
        data && data.open > 0
          ? t('{open, plural, one {# file waits} other {# files wait}}', { open: data.open })
          : undefined
      }
      secondaryActions={
        data && data.open > 0
          ? [{ content: t('Accept all above …'), onAction: () => setAccepting(true) }]
          : []
      }
    >
      <BlockStack gap="400">
        {error && (
          <Problem
            error={error}
            stale={list !== undefined}
            what={t('The reviews could not be loaded')}
            onRetry={() => void reviews.refetch()}
            retrying={reviews.isFetching}
          />
        )}
        {reviews.isPending && (
          <Card padding="0">
            <LoadingRows rows={4} what={t('reviews')} />
          </Card>
        )}
        {list?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('Nothing to review')}>
              {t(
                'When a file’s name matches several products, you choose one here. Until then the file has no product.',
              )}
            </Nothing>
          </Card>
        )}
        {list?.map((review) => (
          <ReviewCard key={review.id} review={review} onChoose={() => setChoosing(review)} />
        ))}
        {list && list.length > 0 && (pages(data?.next_cursor).hasNext || urlState.page > 1) && (
          <Card padding="0">
            <PageTurner
              label={t('Page {page, number}', { page: urlState.page })}
              what={t('reviews')}
              pages={pages(data?.next_cursor)}
            />
          </Card>
        )}
      </BlockStack>
      {choosing && <ChooseProduct review={choosing} onClose={() => setChoosing(null)} />}
      {accepting && <AcceptAbove onClose={() => setAccepting(false)} />}
    </Page>
  )
}
