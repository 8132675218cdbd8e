// Gives files to past buyers. A preview is required; the form says how many orders lack the files.
import { useRead } from '../../../shell/client/reads.ts'
import { type Schemas, type Selection } from '../../../shell/client/types.ts'
import { Problem } from '../../../shell/components/problem.tsx'
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
      <PastBuyers
        select={props.chosen.select}
        product={typeof product === 'string' ? product : null}
      />
    </PluginDialog>
  )
}

function PastBuyers({ select, product }: { select: Selection; product: string | null }) {
  const { data, error } = usePastBuyers(select, product)
  if (error) return <Problem error={error} what={t('The past buyers could not be counted')} />
  return (
    <Text as="p" fontWeight="medium">
      {data === undefined ? t('Counting past buyers…') : pastBuyersText(data)}
    </Text>
  )
}

const pastBuyersText = ({ orders, buyers }: Schemas['PastBuyers']): string =>
  orders === 0
    ? t('No past buyer lacks these files.')
    : t(
        '{orders, plural, one {# order} other {# orders}} of {buyers, plural, one {# buyer} other {# buyers}} would get files.',
        { orders, buyers },
      )
