// How many of the selected files an action works on, if it skips others.
import { type FileTest } from '../../../shell/client/plugins.ts'
import { Text } from '../../../shell/ui/index.ts'
import { meetsTest } from '../fits.ts'
import { type ActionFiles } from '../selection.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  chosen: ActionFiles
  files: FileTest
  one: string
  many: string
}

export function OthersPass({ chosen: { files, known, count }, files: test, one, many }: Props) {
  const fitting = files.filter((file) => meetsTest(test, file)).length
  const others = count - fitting
  if (known && fitting === count) return null
  return (
    <Text as="p">
      {known
        ? t(
            '{fitting, number} {noun} selected; {others, plural, one {# other file is} other {# other files are}} skipped.',
            {
              fitting,
              noun: fitting === 1 ? one : many,
              others,
            },
          )
        : t('Files that are not {noun} are skipped.', { noun: many })}
    </Text>
  )
}
