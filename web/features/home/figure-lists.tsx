// Top files and products, storage by type, imports by channel, and failures by cause.
import { type ReactNode } from 'react'
import { FileName } from '../../shell/files/name.tsx'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { t, translated } from '../../shell/messages/t.ts'
import { Hint, Link, Text } from '../../shell/ui/index.ts'
import { useChannels } from '../imports/channel-calls.ts'
import { channelText } from '../imports/labels.ts'
import { type Figures } from './calls.ts'

export function FigureLists({ figures }: { figures: Figures }) {
  const channels = useChannels()
  const { top_files, top_products, storage, imports, failures, totals } = figures
  return (
    <div className="figure-lists">
      <Ranking
        title={t('Most downloaded files')}
        none={t('No downloads in this period')}
        rows={top_files.map(fileRow)}
      />
      <Ranking
        title={t('Most downloaded products')}
        none={t('No downloads of products in this period')}
        rows={top_products.map(({ product_id, title, downloads }) => ({
          key: product_id,
          name: title,
          value: numberText(downloads),
        }))}
      />
      <Ranking
        title={t('Storage by type')}
        none={t('No files yet')}
        rows={storage.map(storageRow)}
      />
      <Ranking
        title={t('Imports by channel')}
        none={t('No imports in this period')}
        rows={imports.map(({ channel, files }) => ({
          key: channel,
          name: channelText(channels, channel),
          value: t('{files, plural, one {# file} other {# files}}', { files }),
        }))}
      />
      <Ranking
        title={t('Why files failed')}
        none={t('No file failed in this period')}
        rows={failures.map(({ code, message, files }) => ({
          key: code,
          name: translated(message),
          value: numberText(files),
        }))}
      />
      {totals.now.bounced_mails > 0 && (
        <Ranking
          title={t('Email')}
          none=""
          rows={[
            {
              key: 'bounced',
              name: <Link url="/settings/mail">{t('Did not arrive')}</Link>,
              value: numberText(totals.now.bounced_mails),
            },
          ]}
        />
      )}
    </div>
  )
}

interface Row {
  key: string
  name: ReactNode
  value: string
}

const fileRow = ({ file_id, filename, downloads }: Figures['top_files'][number]): Row => ({
  key: file_id,
  name: (
    <Link url={`/files/${file_id}`} removeUnderline>
      <FileName filename={filename} />
    </Link>
  ),
  value: numberText(downloads),
})

const storageRow = ({ extension, files, bytes }: Figures['storage'][number]): Row => ({
  key: extension,
  name: t('{type}, {files, plural, one {# file} other {# files}}', {
    type: extension === '' ? t('Without extension') : extension.toUpperCase(),
    files,
  }),
  value: sizeText(bytes),
})

const Ranking = ({ title, none, rows }: { title: string; none: string; rows: readonly Row[] }) => (
  <section>
    <Text as="h3" variant="headingSm">
      {title}
    </Text>
    {rows.length === 0 ? (
      <Hint>{none}</Hint>
    ) : (
      <ol>
        {rows.map(({ key, name, value }) => (
          <li key={key}>
            <span className="name">{name}</span>
            <span className="tabular">{value}</span>
          </li>
        ))}
      </ol>
    )}
  </section>
)
