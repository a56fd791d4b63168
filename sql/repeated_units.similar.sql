-- repeated_units.similar(input)
--
-- repeated_units with a threshold below 1. The different units are resolved as the rows of near_duplicates are, in the
-- order of their first occurrences: a unit is cut if an earlier unit that is kept is similar to it.
WITH units AS (
  SELECT id, rank, group_value, unit['start_char'] AS start_char, unit['end_char'] AS end_char, unit['key'] AS key
  FROM (
    SELECT id, rank, group_value, UNNEST(text_units(text, $unit, $min_length, $normalize)) AS unit
    FROM input
    WHERE group_value IS NOT NULL
  )
),
firsts AS (
  SELECT
    key,
    group_value,
    copies,
    first_id,
    first_start_char,
    first_end_char,
    CAST(row_number() OVER (ORDER BY first_rank, first_start_char) AS BIGINT) AS rank
  FROM (
    SELECT
      key,
      group_value,
      count(*) AS copies,
      min(rank) AS first_rank,
      first_value(id ORDER BY rank, start_char) AS first_id,
      first_value(start_char ORDER BY rank, start_char) AS first_start_char,
      first_value(end_char ORDER BY rank, start_char) AS first_end_char
    FROM units
    GROUP BY key, group_value
  )
),
items AS (
  SELECT span['rank'] AS rank, item, group_value
  FROM (
    SELECT input.group_value, UNNEST(spans.spans) AS span, UNNEST(span_texts(input.text, spans.spans)) AS item
    FROM (
      SELECT
        first_id,
        array_agg(named_struct('start_char', first_start_char, 'end_char', first_end_char, 'rank', rank)) AS spans
      FROM firsts
      GROUP BY first_id
    ) AS spans
    JOIN input ON spans.first_id = input.id
  )
),
resolved AS (
  SELECT
    firsts.key,
    firsts.group_value,
    firsts.copies,
    firsts.first_id,
    firsts.first_start_char,
    firsts.first_end_char,
    resolved.representative,
    CASE WHEN firsts.rank = resolved.representative THEN 0 ELSE firsts.rank END AS number
  FROM resolved_duplicates(
    (SELECT rank AS id, rank, item, group_value FROM items),
    threshold => $threshold,
    shingle => $shingle,
    normalize => $normalize,
    measure => 'jaccard',
    method => 'exact',
    resolution => 'representative',
    group_rule => 'agree'
  ) AS resolved
  JOIN firsts ON resolved.rank = firsts.rank
),
clusters AS (
  SELECT
    key,
    group_value,
    sum(copies) OVER (PARTITION BY representative) AS copies,
    first_value(first_id) OVER (PARTITION BY representative ORDER BY number) AS first_id,
    first_value(first_start_char) OVER (PARTITION BY representative ORDER BY number) AS first_start_char,
    first_value(first_end_char) OVER (PARTITION BY representative ORDER BY number) AS first_end_char
  FROM resolved
)
SELECT
  units.id,
  units.start_char,
  units.end_char,
  clusters.first_id,
  clusters.first_start_char,
  clusters.first_end_char,
  clusters.copies
FROM clusters
JOIN units ON clusters.key = units.key AND clusters.group_value = units.group_value
WHERE clusters.copies >= $min_copies
  AND (units.id <> clusters.first_id OR units.start_char <> clusters.first_start_char)
