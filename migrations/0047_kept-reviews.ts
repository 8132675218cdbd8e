// What the lists of reviews read: whether the file of a review still needs a product, which reviews
// are alike, and which have one best candidate. Reading them from files and candidates took 0.08 ms
// a review, in lists, groups and counts. Here are the columns and triggers, which take their locks
// for a moment; migrations/0048_fill-reviews.ts fills them.
import type { Knex } from 'knex'

export const undo = 'Nothing: these columns are computed again by the next upgrade.'

/** SQL: the rule that suggested the best candidate; how like a title a name is does not count. */
const RULE = `case new.candidates #>> '{0,reason,message}'
  when 'Its name is {count} % like the title' then '"title"'
  else coalesce(new.candidates #> '{0,reason}', 'null') end`

const settled = (file: string) =>
  `(${file}.mapping_state = 'mapped' or ${file}.deleted_at is not null)`

const COLUMNS = `
  alter table reviews
    -- The file has a product or is in the trash: an open review is not needed then, unless it asks
    -- for a replacement. Triggers keep it.
    add column file_settled boolean not null default false,
    -- The same for reviews with the same best candidate by the same rule.
    add column alike uuid,
    -- The score of the best candidate if it is higher than that of every other product.
    add column sure real;

  create function read_review() returns trigger language plpgsql as $$
  begin
    new.alike := md5(jsonb_build_array(new.candidates #> '{0,product_id}',
      new.candidates #> '{0,variant_id}', ${RULE})::text)::uuid;
    new.sure := case when (new.candidates -> 0 ->> 'score')::real > coalesce((
      select max((c ->> 'score')::real) from jsonb_array_elements(new.candidates) c
      where c -> 'product_id' <> new.candidates -> 0 -> 'product_id'), -1) then new.score end;
    if new.status = 'open' then
      -- The lock: a change of the file that does not see this row yet waits for its commit.
      select ${settled('files')} into new.file_settled
      from files where shop_id = new.shop_id and id = new.file_id for share;
      new.file_settled := coalesce(new.file_settled, true);
    end if;
    return new;
  end $$;
  create trigger reviews_read before insert or update of candidates, score, status on reviews
    for each row execute function read_review();

  create function settle_reviews() returns trigger language plpgsql as $$
  begin
    update reviews set file_settled = ${settled('new')}
    where shop_id = new.shop_id and file_id = new.id and status = 'open';
    return null;
  end $$;
  create trigger files_settled after update of mapping_state, deleted_at on files for each row
    when (${settled('old')} <> ${settled('new')})
    execute function settle_reviews();
`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(COLUMNS)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger files_settled on files;
    drop trigger reviews_read on reviews;
    drop function settle_reviews, read_review;
    alter table reviews drop file_settled, drop alike, drop sure`)
}
