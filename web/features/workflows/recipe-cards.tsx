// Recipes as cards: what each makes of a file, and a button that opens it in the editor.
import { navigate } from 'wouter/use-browser-location'
import { t } from '../../shell/messages/t.ts'
import { Button, Text } from '../../shell/ui/index.ts'
import { RECIPES, type Recipe } from './recipes.ts'

export const RecipeCards = () => (
  <ul className="recipes">
    {RECIPES.map((recipe) => (
      <RecipeCard key={recipe.id} recipe={recipe} />
    ))}
  </ul>
)

const RecipeCard = ({ recipe: { id, name, before, after } }: { recipe: Recipe }) => (
  <li>
    <Text as="h3" variant="headingSm">
      {name}
    </Text>
    <dl>
      <dt>{t('Before', {}, 'picture')}</dt>
      <dd>{before}</dd>
      <dt>{t('After', {}, 'picture')}</dt>
      <dd>{after}</dd>
    </dl>
    <Button
      accessibilityLabel={t('Use this recipe: {name}', { name })}
      onClick={() => navigate(`/workflows/new?recipe=${id}`)}
    >
      {t('Use this recipe')}
    </Button>
  </li>
)
