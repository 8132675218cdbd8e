// How many of the chosen files an action is about, where it passes others by.
import { type File } from '../../../client/types.ts'
import { Text } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { type Chosen } from '../selection.ts'

interface Props {
  chosen: Chosen
  fits: (file: File) => boolean
  one: string
  many: string
}

export function OthersPass({ chosen: { files, known, count }, fits, one, many }: Props) {
  const fitting = files.filter(fits).length
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
