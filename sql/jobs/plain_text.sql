-- plain_text
--
-- Step of a job: every page of the dumps; those whose sentences are compared with their plain text.
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
  CASE
    WHEN namespace = 0 AND kind IN ('article', 'stub') THEN wikitext_to_plain(wikitext, language)
  END AS text
FROM dump
