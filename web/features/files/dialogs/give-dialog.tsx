// Gives files to past buyers. A preview is required; the form says how many orders lack the files.
import { useRead } from '../../../shell/client/reads.ts'
import { type Schemas, type Selection } from '../../../shell/client/types.ts'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { durationText } from '../../../shell/messages/duration.ts'
import { t } from '../../../shell/messages/t.ts'
import { Text } from '../../../shell/ui/index.ts'
import { type EntryProps } from './entry-props.ts'
import { PluginDialog } from './plugin-dialog.tsx'

/** @param product only its buyers; null: those of all products of the files. */
const usePastBuyers = (select: Selection, product: string | null) =>
  useRead('POST /api/new-files/buyers', {
    body: { select, ...(product === null ? {} : { product_id: product }) },
    key: ['files', 'past-buyers', select, product],
  })

export function GiveDialog(props: EntryProps) {
  const { product_id: product } = props.entry.action.preset
  return (
    <PluginDialog {...props}>
      {({ email, mails_per_hour: rate }) => (
        <PastBuyers
          select={props.chosen.select}
          product={typeof product === 'string' ? product : null}
          rate={email !== false && typeof rate === 'number' && rate > 0 ? rate : null}
        />
      )}
    </PluginDialog>
  )
}

interface PastBuyersProps {
  select: Selection
  product: string | null
  /** Emails an hour; null: without a limit. */
  rate: number | null
}

function PastBuyers({ select, product, rate }: PastBuyersProps) {
  const counted = usePastBuyers(select, product)
  const { data, error } = counted
  if (error) return <LoadProblem query={counted} what={t('The past buyers could not be counted')} />
  if (data === undefined)
    return (
      <Text as="p" fontWeight="medium">
        {t('Counting past buyers…')}
      </Text>
    )
  return (
    <>
      <Text as="p" fontWeight="medium">
        {pastBuyersText(data)}
      </Text>
      {rate !== null && data.orders > 1 && <Text as="p">{rateText(data.orders, rate)}</Text>}
    </>
  )
}

const HOUR_SECONDS = 3600

/** How long the emails take; the first one is sent immediately. */
const rateText = (mails: number, rate: number): string =>
  t('The emails take {duration}: at most {count, plural, one {# email} other {# emails}}.', {
    duration: durationText(((mails - 1) * HOUR_SECONDS) / rate),
    count: mails,
  })

const pastBuyersText = ({ orders, buyers }: Schemas['PastBuyers']): string =>
  orders === 0
    ? t('No past buyer lacks these files.')
    : t(
        '{orders, plural, one {# order} other {# orders}} of {buyers, plural, one {# buyer} other {# buyers}} would get files.',
        { orders, buyers },
      )
