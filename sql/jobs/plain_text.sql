-- plain_text
--
-- Step of a job: selects every page of the dumps, with the plain text of those pages whose sentences are compared, and
-- the kinds of the lines of the text on the page.
SELECT
  wiki,
  language,
  page_id,
  namespace,
  title,
  kind,
  redirect,
  revision_id,
  timestamp,
  page['text'] AS text,
  page['blocks'] AS blocks
FROM (
  SELECT
    *,
    CASE
      WHEN namespace = 0 AND kind IN ('article', 'stub') THEN wikitext_to_blocks(wikitext, language, $formulas)
    END AS page
  FROM dump
)
