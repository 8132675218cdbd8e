// How many of the selected files an action works on, where it passes over others.
import { type FileTest } from '../../../client/plugins.ts'
import { Text } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { passes } from '../fits.ts'
import { type Chosen } from '../selection.ts'

interface Props {
  chosen: Chosen
  files: FileTest
  one: string
  many: string
}

export function OthersPass({ chosen: { files, known, count }, files: test, one, many }: Props) {
  const fitting = files.filter((file) => passes(test, file)).length
  const others = count - fitting
  if (known && fitting === count) return null
  return (
    <Text as="p">
      {known
        ? `${countText(fitting, `${one} is`, `${many} are`)} among them; the other ${others === 1 ? 'file is' : countText(others, 'file is', 'files are')} passed by.`
        : `Files that are no ${many} are passed by.`}
    </Text>
  )
}
